#include "executor/moe_layer.h"

#include <algorithm>

namespace bta::executor {
namespace {

template <class Scalar>
Tensor<Scalar> router_logits(MoeLayer<Scalar>& at, StageBuffer<Scalar>& weights, const Tensor<Scalar>& y,
                             std::string_view name) {
  Run<Scalar>& run = at.run;
  Tensor<Scalar> logits = run.tensor(name, run.tokens(), at.moe.experts, wide_bytes);
  run.machine.forward(at.norm, run.tokens());
  run.machine.forward(at.router, run.tokens());
  for (std::int64_t first = 0; first < run.tokens(); first += run.tile()) {
    Tensor<Scalar> normed = run.activations("normed tile", run.tile(), run.hidden());
    run.each_sequence(run.tile(), [&](auto row, auto n) {
      norm<Scalar>(y.rows(first + row, n), mlp_norm(run, at.layer, weights), normed.rows(row, n));
      linear<Scalar>(normed.rows(row, n), weights.linear("router"), logits.rows(first + row, n), Write::over,
                     run.machine.performed(at.router));
    });
  }
  return logits;
}

/// What experts are chosen by: a token's logits, plus the selection bias of a layer that has one.
template <class Scalar>
std::vector<Scalar> preferences(MoeLayer<Scalar>& at, StageBuffer<Scalar>& weights, const Scalar* logits) {
  std::vector<Scalar> values(logits, logits + at.moe.experts);
  if (!at.moe.selection_bias) return values;
  const Scalar* const bias = weights.gain("top_k_softmax");
  for (std::size_t e = 0; e < values.size(); ++e) values[e] += bias[e];
  return values;
}

template <class Scalar>
Tensor<Scalar> choose(MoeLayer<Scalar>& at, StageBuffer<Scalar>& weights, Tensor<Scalar>& logits) {
  Run<Scalar>& run = at.run;
  const std::int64_t k = at.moe.top_k, E = at.moe.experts;
  Tensor<Scalar> top_k = run.tensor("top-k choices", run.tokens(), k, top_k_bytes);
  run.machine.forward(at.top_k_softmax, run.tokens());
  if (!run.with_data()) return top_k;
  std::vector<std::int64_t>& choices = run.choices[at.layer];
  choices.clear();
  for (std::int64_t t = 0; t < run.tokens(); ++t) {
    Scalar* const row = &logits.data(t, 0);
    const std::vector<std::int64_t> chosen = largest(preferences(at, weights, row).data(), E, k);
    softmax_row(row, E);
    Scalar sum = 0;
    for (const std::int64_t e : chosen) sum += row[e];
    for (std::int64_t j = 0; j < k; ++j) top_k.data(t, j) = row[chosen[static_cast<std::size_t>(j)]] / sum;
    choices.insert(choices.end(), chosen.begin(), chosen.end());
  }
  return top_k;
}

template <class Scalar>
Routes routes_of(MoeLayer<Scalar>& at) {
  Run<Scalar>& run = at.run;
  const auto experts = static_cast<std::size_t>(at.moe.experts);
  Routes routes{std::vector<std::vector<Routed>>(experts), std::vector<ExpertLoad>(experts)};
  if (!run.with_data()) {
    routes.loads = run.loads(at.layer);
  } else {
    const std::vector<std::int64_t>& choices = run.choices[at.layer];
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(choices.size()); ++i)
      routes.tokens[static_cast<std::size_t>(choices[static_cast<std::size_t>(i)])].push_back(
          {i / at.moe.top_k, i % at.moe.top_k});
    std::ranges::transform(routes.tokens, routes.loads.begin(), [&](const std::vector<Routed>& tokens) {
      ExpertLoad load{static_cast<std::int64_t>(tokens.size()), 0,
                      std::vector<std::int64_t>(static_cast<std::size_t>(run.config().wafer.rows), 0)};
      for (const Routed& routed : tokens)
        ++load.row_tokens[static_cast<std::size_t>(routed.token) % load.row_tokens.size()];
      load.fullest_row = *std::ranges::max_element(load.row_tokens);
      return load;
    });
  }
  run.machine.note_loads(at.layer, routes.loads);
  return routes;
}

}  // namespace

template <class Scalar>
MoeLayer<Scalar>::MoeLayer(Run<Scalar>& r, std::size_t l)
    : run(r),
      layer(l),
      moe(std::get<MoeMlp>(r.layer(l).feed_forward)),
      norm(r.machine.find(l, "mlp_norm")),
      router(r.machine.find(l, "router")),
      top_k_softmax(r.machine.find(l, "top_k_softmax")),
      expert_norm(r.machine.find(l, "expert_norm")),
      expert_combine(r.machine.find(l, "expert_combine")),
      expert(r.machine, l, expert_names, moe.gated) {}

template <class Scalar>
TokenRouting<Scalar> route(MoeLayer<Scalar>& at, StageBuffer<Scalar>& weights, const Tensor<Scalar>& y,
                           std::string_view name) {
  TokenRouting<Scalar> routing;
  routing.logits = router_logits(at, weights, y, name);
  at.run.machine.arena().step(2);
  routing.top_k = choose(at, weights, routing.logits);
  at.run.machine.end();
  routing.routes = routes_of(at);
  return routing;
}

template <class Scalar>
ExpertTensors<Scalar>::ExpertTensors(MoeLayer<Scalar>& at, std::string_view hidden_name,
                                     std::string_view output_name) {
  Run<Scalar>& run = at.run;
  const std::int64_t cap = run.config().expert_capacity[at.layer], d = run.hidden(), f = at.moe.width;
  input = run.activations("expert input", cap, d);
  if (at.moe.gated) gate = run.activations("expert gate", cap, f);
  up = run.activations("expert up", cap, f);
  hidden = run.activations(hidden_name, cap, f);
  output = run.activations(output_name, cap, d);
}

template <class Scalar>
MlpRows<Scalar> ExpertTensors<Scalar>::rows(std::int64_t count) {
  return mlp_rows(input, gate, up, hidden, 0, count);
}

template <class Scalar>
ExpertBuffers<Scalar>::ExpertBuffers(MoeLayer<Scalar>& at, std::string_view name,
                                     std::int64_t element_bytes) {
  const std::vector<Slice> parts = slices(at.run.machine.operators(at.layer), Stage::expert);
  for (StageBuffer<Scalar>* buffer : {&first, &second})
    *buffer = {at.run.tensor(name, 1, total_size(parts), element_bytes), parts};
}

template <class Scalar>
void load_expert(MoeLayer<Scalar>& at, ExpertBuffers<Scalar>& buffers, std::size_t expert) {
  StageBuffer<Scalar>& buffer = buffers.of(expert);
  at.run.machine.load_weights(buffer.parameters());
  if (at.run.with_data()) std::ranges::copy(at.run.weights->layers[at.layer].experts[expert], buffer.at(0));
}

template <class Scalar>
void store_expert(MoeLayer<Scalar>& at, ExpertBuffers<Scalar>& buffers, std::size_t expert) {
  StageBuffer<Scalar>& gradients = buffers.of(expert);
  at.run.machine.store_gradients(gradients.parameters());
  if (!at.run.with_data()) return;
  add_gradients(gradients, at.run.gradients->layers[at.layer].experts[expert]);
  gradients.tensor.data.setZero();
}

template <class Scalar>
void gather(MoeLayer<Scalar>& at, const std::vector<Routed>& tokens, std::int64_t first, std::int64_t count,
            const Tensor<Scalar>& y, NormWeights<Scalar> norm, Tensor<Scalar>& input) {
  for (std::int64_t i = 0; i < count; ++i)
    norm_row(&y.data(tokens[static_cast<std::size_t>(first + i)].token, 0), norm, &input.data(i, 0),
             at.run.hidden());
}

#define BTA_MOE(Scalar)                                                                               \
  template struct MoeLayer<Scalar>;                                                                   \
  template TokenRouting<Scalar> route(MoeLayer<Scalar>&, StageBuffer<Scalar>&, const Tensor<Scalar>&, \
                                      std::string_view);                                              \
  template struct ExpertTensors<Scalar>;                                                              \
  template struct ExpertBuffers<Scalar>;                                                              \
  template void load_expert(MoeLayer<Scalar>&, ExpertBuffers<Scalar>&, std::size_t);                  \
  template void store_expert(MoeLayer<Scalar>&, ExpertBuffers<Scalar>&, std::size_t);                 \
  template void gather(MoeLayer<Scalar>&, const std::vector<Routed>&, std::int64_t, std::int64_t,     \
                       const Tensor<Scalar>&, NormWeights<Scalar>, Tensor<Scalar>&);
BTA_MOE(double)
BTA_MOE(float)
#undef BTA_MOE

}  // namespace bta::executor
