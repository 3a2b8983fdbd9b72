#include "executor/execute.h"

#include <stdexcept>

#include "executor/attention_schedule.h"
#include "executor/dense_schedule.h"
#include "executor/head_schedule.h"
#include "executor/moe_layer.h"

namespace bta::executor {
namespace {

template <class Scalar>
bool is_dense(const Run<Scalar>& run, std::size_t layer) {
  return std::holds_alternative<DenseMlp>(run.layer(layer).feed_forward);
}

/// Element i of the embedding of a token; tied: a column of lm_head, which follows the final norm.
template <class Values>
auto& embedding_element(Values& weights, const Model& model, std::int64_t token, std::int64_t i) {
  if (!model.tied_embeddings) return weights.embedding[static_cast<std::size_t>(token * model.hidden + i)];
  const std::int64_t norm = model.norm_bias ? 2 * model.hidden : model.hidden;
  return weights.head[static_cast<std::size_t>(norm + i * model.vocabulary + token)];
}

template <class Scalar>
void look_up(Run<Scalar>& run, Tensor<Scalar>& x) {
  if (!run.with_data()) return;
  for (std::int64_t t = 0; t < run.tokens(); ++t)
    for (std::int64_t i = 0; i < run.hidden(); ++i)
      x.data(t, i) = embedding_element(*run.weights, run.config().model,
                                       run.batch->tokens[static_cast<std::size_t>(t)], i);
}

template <class Scalar>
void add_embedding_gradient(Run<Scalar>& run, const Tensor<Scalar>& dx) {
  if (!run.with_data()) return;
  for (std::int64_t t = 0; t < run.tokens(); ++t)
    for (std::int64_t i = 0; i < run.hidden(); ++i)
      embedding_element(*run.gradients, run.config().model, run.batch->tokens[static_cast<std::size_t>(t)],
                        i) += dx.data(t, i);
}

template <class Scalar>
void fixed_overhead(Run<Scalar>& run, std::size_t layer) {
  run.machine.begin(PhaseKind::fixed, layer);
  run.machine.overhead(run.config().wafer.layer_overhead_s);
  run.machine.end();
}

template <class Scalar>
void forward_layer(Run<Scalar>& run, std::size_t layer, Tensor<Scalar>& x) {
  fixed_overhead(run, layer);
  attention_forward_phase(run, layer, x);
  if (is_dense(run, layer))
    dense_forward_phase(run, layer, x);
  else
    x = moe_forward_phase(run, layer, std::move(x));
}

/// Y for the backward pass of a layer: kept, recomputed, or still off the wafer (then room for it, MoE only).
template <class Scalar>
Tensor<Scalar> y_of(Run<Scalar>& run, std::size_t layer) {
  if (run.keeps_on_wafer()) return std::move(run.kept_y[layer]);
  if (!run.streams_y()) return attention_recompute_phase(run, layer);
  return is_dense(run, layer) ? Tensor<Scalar>() : run.concatenated("Y");
}

template <class Scalar>
void backward_layer(Run<Scalar>& run, std::size_t layer, Tensor<Scalar>& d) {
  fixed_overhead(run, layer);
  d.rename("dZ");
  Tensor<Scalar> y = y_of(run, layer);
  if (is_dense(run, layer))
    dense_backward_phase(run, layer, std::move(y), d);
  else
    d = moe_backward_phase(run, layer, std::move(y), std::move(d));
  attention_backward_phase(run, layer, d);
  run.kept_x[layer] = {};
}

template <class Scalar>
void prepare(Run<Scalar>& run) {
  const std::size_t layers = run.config().model.layers.size();
  run.stored_x.resize(layers);
  run.stored_y.resize(layers);
  run.kept_x.resize(layers);
  run.kept_y.resize(layers);
  run.choices.resize(layers);
  if (!run.with_data()) return;
  for (auto* stored : {&run.stored_x, &run.stored_y})
    for (Matrix<Scalar>& tensor : *stored) tensor.setZero(run.tokens(), run.hidden());
}

/// The whole step.
template <class Scalar>
void run_step(Run<Scalar>& run) {
  const std::size_t layers = run.config().model.layers.size();
  prepare(run);
  Tensor<Scalar> x = run.concatenated("X");
  look_up(run, x);
  for (std::size_t l = 0; l < layers; ++l) forward_layer(run, l, x);
  head_phase(run, x);
  for (std::size_t l = layers; l-- > 0;) backward_layer(run, l, x);
  add_embedding_gradient(run, x);
}

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

void check(const Config& config) {
  require(config.tiling.tile_batch > 0 && config.tiling.tiles > 0, "B and G are at least 1");
  require(config.workload.seq_len > 0 && config.head_chunk > 0, "S and the head chunk are at least 1 token");
  require(config.workload.mask != Mask::half, "nothing runs mask half");
  require(config.expert_capacity.size() == config.model.layers.size(), "one expert capacity for every layer");
  for (std::size_t l = 0; l < config.model.layers.size(); ++l)
    require(std::holds_alternative<DenseMlp>(config.model.layers[l].feed_forward) ||
                config.expert_capacity[l] > 0,
            "an expert buffer holds at least one token");
}

void check(const Config& config, const Batch& batch) {
  const auto tokens =
      static_cast<std::size_t>(micro_batch_tokens(config.tiling, config.workload.seq_len).value);
  require(batch.tokens.size() == tokens && batch.targets.size() == tokens,
          "the batch holds B*G*S tokens and targets");
  for (const std::vector<std::int64_t>* ids : {&batch.tokens, &batch.targets})
    for (const std::int64_t id : *ids)
      require(id >= 0 && id < config.model.vocabulary, "a token lies outside the vocabulary");
}

Measured measured(const Machine& machine) {
  return {machine.arena().phases(), machine.arena().peak(),   machine.counters(),
          machine.timeline(),       machine.arena().events(), machine.arena().live()};
}

}  // namespace

Measured execute_shapes(const Config& config, const LoadSource& loads, Recording recording) {
  check(config);
  Machine machine(config, recording);
  Run<float> run{.machine = machine, .loads = loads};
  run_step(run);
  return measured(machine);
}

template <class Scalar>
StepResult<Scalar> execute(const Config& config, const Weights<Scalar>& weights, const Batch& batch,
                           Recording recording) {
  check(config);
  check(config, batch);
  Machine machine(config, recording);
  Weights<Scalar> gradients = zero_weights<Scalar>(config.model);
  Run<Scalar> run{.machine = machine, .weights = &weights, .batch = &batch, .gradients = &gradients};
  run_step(run);
  return {measured(machine), run.loss, std::move(run.logits), std::move(run.choices), std::move(gradients)};
}

template StepResult<double> execute(const Config&, const Weights<double>&, const Batch&, Recording);
template StepResult<float> execute(const Config&, const Weights<float>&, const Batch&, Recording);

}  // namespace bta::executor
