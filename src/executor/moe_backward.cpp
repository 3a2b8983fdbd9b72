#include "executor/expert_beats.h"
#include "executor/moe_layer.h"
#include "executor/shared_expert.h"

namespace bta::executor {
namespace {

template <class Scalar>
struct BackwardExperts {
  MoeLayer<Scalar>& at;
  TokenRouting<Scalar>& routing;
  const Tensor<Scalar>&y, &dz;
  NormWeights<Scalar> norm;
  Tensor<Scalar>& dnormed;
};

/// The recomputed output gives the gradient of the choice's weight; in its place comes the output's own
/// gradient.
template <class Scalar>
void output_gradient(BackwardExperts<Scalar>& experts, const std::vector<Routed>& tokens, std::int64_t first,
                     std::int64_t count, Tensor<Scalar>& output) {
  const std::int64_t d = experts.at.run.hidden();
  for (std::int64_t i = 0; i < count; ++i) {
    const Routed& routed = tokens[static_cast<std::size_t>(first + i)];
    Scalar& weight = experts.routing.top_k.data(routed.token, routed.choice);
    Scalar along = 0;
    for (std::int64_t c = 0; c < d; ++c) {
      const Scalar dz = experts.dz.data(routed.token, c);
      along += dz * output.data(i, c);
      output.data(i, c) = weight * dz;
    }
    weight = along;
  }
}

template <class Scalar>
struct ExpertOnWafer {
  StageBuffer<Scalar>&weights, &gradients;
  ExpertTensors<Scalar>& tensors;
};

template <class Scalar>
void run_gradients(BackwardExperts<Scalar>& experts, std::size_t expert, ExpertOnWafer<Scalar>& on,
                   std::int64_t first, std::int64_t count) {
  MoeLayer<Scalar>& at = experts.at;
  const std::vector<Routed>& tokens = experts.routing.routes.tokens[expert];
  MlpRows<Scalar> rows = on.tensors.rows(count);
  const auto output = on.tensors.output.rows(0, count);
  const Linear<Scalar> down = on.weights.linear(at.expert.names.down);
  Linear<Scalar> ddown = on.gradients.linear(at.expert.names.down);
  Flops& done = at.run.machine.performed(at.expert.down);
  gather(at, tokens, first, count, experts.y, experts.norm, on.tensors.input);
  mlp_hidden(at.run, at.expert, on.weights, rows);
  linear<Scalar>(rows.hidden, down, output, Write::over, done);
  output_gradient(experts, tokens, first, count, on.tensors.output);
  linear_weight_gradient<Scalar>(rows.hidden, output, ddown, done);
  linear_input_gradient<Scalar>(output, down, rows.hidden, Write::over, done);
  mlp_input_gradients<Scalar>(at.run, at.expert, on.weights, on.gradients, rows, output);
  for (std::int64_t i = 0; i < count; ++i)
    experts.dnormed.data.row(tokens[static_cast<std::size_t>(first + i)].token) +=
        on.tensors.output.data.row(i);
}

/// One pass of one expert over at most cap of its tokens: forward again, then both gradients.
template <class Scalar>
void run_pass(BackwardExperts<Scalar>& experts, std::size_t expert, ExpertOnWafer<Scalar> on,
              std::int64_t first, std::int64_t count) {
  MoeLayer<Scalar>& at = experts.at;
  Machine& m = at.run.machine;
  m.count_forward(at.expert_norm, count);
  count_mlp_forward(m, at.expert, count);
  count_mlp_gradients(m, at.expert, count);
  m.count_gradient(at.expert_combine, count, 2);
  if (at.run.with_data()) run_gradients(experts, expert, on, first, count);
}

/// [3] Expert by expert: the next one's weights arrive and the last one's gradients leave meanwhile.
template <class Scalar>
void run_experts(BackwardExperts<Scalar>& experts) {
  MoeLayer<Scalar>& at = experts.at;
  Run<Scalar>& run = at.run;
  Machine& m = run.machine;
  ExpertBuffers<Scalar> weights(at, "two expert weight buffers", run.config().workload.bytes.weight);
  ExpertBuffers<Scalar> gradients(at, "two expert gradient buffers", wide_bytes);
  gradients.first.tensor.data.setZero();
  gradients.second.tensor.data.setZero();
  ExpertTensors<Scalar> tensors(at, "expert hidden and its gradient", "expert output and input gradient");
  m.begin(PhaseKind::experts_backward, at.layer);
  run_expert_beats(at, experts.routing.routes.loads, weights, &gradients,
                   [&](auto e, auto first, auto count) {
                     run_pass(experts, e, {weights.of(e), gradients.of(e), tensors}, first, count);
                   });
  m.end();
}

/// Gradients of the k choices' weights -> gradient of the logits, in place of a token's probabilities.
template <class Scalar>
void logit_gradient(MoeLayer<Scalar>& at, TokenRouting<Scalar>& routing, std::int64_t token) {
  const std::int64_t k = at.moe.top_k;
  const std::int64_t* const chosen = &at.run.choices[at.layer][static_cast<std::size_t>(token * k)];
  Scalar* const row = &routing.logits.data(token, 0);
  Scalar sum = 0, along = 0;
  for (std::int64_t j = 0; j < k; ++j) sum += row[chosen[j]];
  for (std::int64_t j = 0; j < k; ++j) along += row[chosen[j]] / sum * routing.top_k.data(token, j);
  std::vector<Scalar> gradient(static_cast<std::size_t>(k));
  for (std::int64_t j = 0; j < k; ++j)
    gradient[static_cast<std::size_t>(j)] = row[chosen[j]] / sum * (routing.top_k.data(token, j) - along);
  std::fill(row, row + at.moe.experts, Scalar(0));
  for (std::int64_t j = 0; j < k; ++j) row[chosen[j]] = gradient[static_cast<std::size_t>(j)];
}

/// [5] Router and norm, tile by tile: dnormed becomes dY.
template <class Scalar>
void run_router_gradients(BackwardExperts<Scalar>& experts, StageBuffer<Scalar>& weights,
                          StageBuffer<Scalar>& gradients) {
  MoeLayer<Scalar>& at = experts.at;
  Run<Scalar>& run = at.run;
  Machine& m = run.machine;
  m.forward(at.norm, run.tokens());  // again: the normed tiles are gone
  m.both_gradients(at.top_k_softmax, run.tokens());
  m.weight_gradient(at.router, run.tokens());
  m.input_gradient(at.router, run.tokens());
  m.both_gradients(at.norm, run.tokens());
  Tensor<Scalar> normed = run.activations("normed tile of the router", run.tile(), run.hidden());
  run.each_sequence(run.tokens(), [&](auto row, auto n) {
    for (std::int64_t t = row; t < row + n; ++t) logit_gradient(at, experts.routing, t);
    const auto dlogits = experts.routing.logits.rows(row, n);
    const auto rows = normed.rows(row % run.tile(), n);
    Linear<Scalar> dw = gradients.linear("router");
    norm<Scalar>(experts.y.rows(row, n), experts.norm, rows);
    linear_weight_gradient<Scalar>(rows, dlogits, dw, m.performed(at.router));
    linear_input_gradient<Scalar>(dlogits, weights.linear("router"), experts.dnormed.rows(row, n), Write::add,
                                  m.performed(at.router));
    for (std::int64_t t = row; t < row + n; ++t) {
      Scalar* const d = &experts.dnormed.data(t, 0);
      norm_row_gradient<Scalar>(&experts.y.data(t, 0), experts.norm, d, &experts.dz.data(t, 0), d,
                                mlp_norm(run, at.layer, gradients), run.hidden());
    }
  });
}

/// Y comes back from its checkpoint; with the others it is there.
template <class Scalar>
void load_y(Run<Scalar>& run, std::size_t layer, Tensor<Scalar>& y) {
  if (!run.streams_y()) return;
  run.machine.begin(PhaseKind::experts_backward, layer);
  run.machine.load_checkpoint(run.tokens());
  run.machine.end();
  y.data = run.stored_y[layer];
}

}  // namespace

template <class Scalar>
Tensor<Scalar> moe_backward_phase(Run<Scalar>& run, std::size_t layer, Tensor<Scalar> y, Tensor<Scalar> dz) {
  Machine& m = run.machine;
  MoeLayer<Scalar> at(run, layer);
  y.rename("Y");
  m.arena().enter(MemoryPhase::moe_backward, layer);
  load_y(run, layer, y);
  m.begin(PhaseKind::router_backward, layer);
  StageBuffer<Scalar> weights = load_stage(run, layer, Stage::router, "router weight");
  m.beat();
  TokenRouting<Scalar> routing = route(at, weights, y, "router probabilities");
  m.arena().step(3);
  Tensor<Scalar> dy = run.zeros("dY", run.tokens(), run.hidden(), run.activation());
  const NormWeights<Scalar> norm = mlp_norm(run, layer, weights);
  BackwardExperts<Scalar> experts{at, routing, y, dz, norm, dy};
  run_experts(experts);
  m.arena().step(4);
  if (at.moe.shared_width > 0) shared_expert_backward(at, y, norm, dz, dy);
  m.arena().step(5);
  m.begin(PhaseKind::router_backward, layer);
  StageBuffer<Scalar> gradients = gradient_stage(run, layer, Stage::router, "router weight gradient");
  run_router_gradients(experts, weights, gradients);
  m.beat();
  store_stage(run, layer, Stage::router, gradients);
  m.end();
  m.arena().leave();
  return dy;
}

template Tensor<double> moe_backward_phase(Run<double>&, std::size_t, Tensor<double>, Tensor<double>);
template Tensor<float> moe_backward_phase(Run<float>&, std::size_t, Tensor<float>, Tensor<float>);

}  // namespace bta::executor
