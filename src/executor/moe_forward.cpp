#include "executor/expert_beats.h"
#include "executor/moe_layer.h"
#include "executor/shared_expert.h"

namespace bta::executor {
namespace {

/// Z[token] += weight of the choice * output.
template <class Scalar>
void scatter(const std::vector<Routed>& tokens, std::int64_t first, std::int64_t count,
             const Tensor<Scalar>& output, const Tensor<Scalar>& top_k, Tensor<Scalar>& z) {
  for (std::int64_t i = 0; i < count; ++i) {
    const Routed& routed = tokens[static_cast<std::size_t>(first + i)];
    z.data.row(routed.token) += top_k.data(routed.token, routed.choice) * output.data.row(i);
  }
}

template <class Scalar>
struct ForwardExperts {
  MoeLayer<Scalar>& at;
  const TokenRouting<Scalar>& routing;
  const Tensor<Scalar>& y;
  NormWeights<Scalar> norm;
  Tensor<Scalar>& z;
};

/// One pass of one expert over at most cap of its tokens.
template <class Scalar>
void run_pass(ForwardExperts<Scalar>& experts, std::size_t expert, StageBuffer<Scalar>& weights,
              ExpertTensors<Scalar>& tensors, std::int64_t first, std::int64_t count) {
  MoeLayer<Scalar>& at = experts.at;
  Machine& m = at.run.machine;
  m.count_forward(at.expert_norm, count);
  count_mlp_forward(m, at.expert, count);
  m.count_forward(at.expert_combine, count);
  if (!at.run.with_data()) return;
  const std::vector<Routed>& tokens = experts.routing.routes.tokens[expert];
  MlpRows<Scalar> rows = tensors.rows(count);
  gather(at, tokens, first, count, experts.y, experts.norm, tensors.input);
  mlp_hidden(at.run, at.expert, weights, rows);
  linear<Scalar>(rows.hidden, weights.linear(at.expert.names.down), tensors.output.rows(0, count),
                 Write::over, m.performed(at.expert.down));
  scatter(tokens, first, count, tensors.output, experts.routing.top_k, experts.z);
}

/// [3] Expert by expert while the next one's weights arrive; Y leaves beside them.
template <class Scalar>
void run_experts(ForwardExperts<Scalar>& experts) {
  MoeLayer<Scalar>& at = experts.at;
  Run<Scalar>& run = at.run;
  Machine& m = run.machine;
  ExpertBuffers<Scalar> weights(at, "two expert weight buffers", run.config().workload.bytes.weight);
  ExpertTensors<Scalar> tensors(at, "expert hidden", "expert output");
  m.begin(PhaseKind::experts_forward, at.layer);
  if (run.streams_y()) m.store_checkpoint_in_background(run.tokens());
  run_expert_beats<Scalar>(
      at, experts.routing.routes.loads, weights, nullptr,
      [&](auto e, auto first, auto count) { run_pass(experts, e, weights.of(e), tensors, first, count); });
  m.end();
}

template <class Scalar>
void keep_or_store(Run<Scalar>& run, std::size_t layer, Tensor<Scalar> y) {
  if (run.streams_y()) run.stored_y[layer] = y.data;
  if (!run.keeps_on_wafer()) return;
  y.rename("kept Y of the layers");
  run.kept_y[layer] = std::move(y);
}

}  // namespace

template <class Scalar>
Tensor<Scalar> moe_forward_phase(Run<Scalar>& run, std::size_t layer, Tensor<Scalar> y) {
  Machine& m = run.machine;
  MoeLayer<Scalar> at(run, layer);
  y.rename("Y");
  m.arena().enter(MemoryPhase::moe_forward, layer);
  m.begin(PhaseKind::router_forward, layer);
  StageBuffer<Scalar> weights = load_stage(run, layer, Stage::router, "router weight");
  m.beat();
  TokenRouting<Scalar> routing = route(at, weights, y, "router logits");
  routing.logits.release();
  m.arena().step(3);
  Tensor<Scalar> z = run.copy(y, "Z");
  const NormWeights<Scalar> norm = mlp_norm(run, layer, weights);
  ForwardExperts<Scalar> experts{at, routing, y, norm, z};
  run_experts(experts);
  routing.top_k.release();
  if (at.moe.shared_width > 0) {
    m.arena().step(4);
    shared_expert_forward(at, y, norm, z);
  }
  m.arena().leave();
  keep_or_store(run, layer, std::move(y));
  return z;
}

template Tensor<double> moe_forward_phase(Run<double>&, std::size_t, Tensor<double>);
template Tensor<float> moe_forward_phase(Run<float>&, std::size_t, Tensor<float>);

}  // namespace bta::executor
