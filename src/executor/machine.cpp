#include "executor/machine.h"

#include <algorithm>
#include <stdexcept>

namespace bta::executor {
Machine::Machine(const Config& config, Recording recording)
    : config_(config), arena_(recording.arena_events), timeline_(config.wafer, recording.beats) {
  for (const Layer& layer : config.model.layers)
    operators_.push_back(layer_operators(layer, config.model.hidden));
  operators_.push_back(head_operators(config.model));
  for (const std::vector<Operator>& operators : operators_) {
    std::vector<std::int64_t>& pairs = pairs_.emplace_back();
    for (const Operator& op : operators) pairs.push_back(computed_pairs(op, config.workload));
    counters_.layers.push_back({std::vector<OperatorFlops>(operators.size()), {}});
  }
  counters_.streamed.resize(operators_.size());
}

OperatorRef Machine::find(std::size_t layer, std::string_view name) const {
  const auto found = std::ranges::find(operators_[layer], name, &Operator::name);
  if (found == operators_[layer].end()) throw std::logic_error("no such operator: " + std::string(name));
  return {layer, static_cast<std::size_t>(found - operators_[layer].begin())};
}

void Machine::begin(PhaseKind kind, std::size_t layer) {
  kind_ = kind;
  layer_ = layer;
  timeline_.begin(kind);
}

Bytes Machine::activation_bytes(std::int64_t tokens) const {
  return Bytes(product(tokens, config_.model.hidden, config_.workload.bytes.activation));
}

void Machine::load_weights(std::int64_t parameters) {
  const Bytes bytes(product(parameters, config_.workload.bytes.weight));
  streamed().weights_in += bytes;
  timeline_.in(bytes);
}

void Machine::store_gradients(std::int64_t parameters) {
  const Bytes bytes(product(parameters, config_.workload.bytes.gradient));
  streamed().gradients_out += bytes;
  timeline_.out(bytes);
}

void Machine::load_checkpoint(std::int64_t tokens) {
  streamed().checkpoint_in += activation_bytes(tokens);
  timeline_.in(activation_bytes(tokens));
}

void Machine::store_checkpoint(std::int64_t tokens) {
  streamed().checkpoint_out += activation_bytes(tokens);
  timeline_.out(activation_bytes(tokens));
}

void Machine::store_checkpoint_in_background(std::int64_t tokens) {
  streamed().checkpoint_out += activation_bytes(tokens);
  timeline_.background_out(activation_bytes(tokens));
}

Flops Machine::unit_flops(OperatorRef op, std::int64_t tokens) const {
  const Work& work = operator_of(op).work;
  if (const auto* gemm = std::get_if<Gemm>(&work))
    return Flops(product(tokens, gemm->inputs, gemm->outputs, 2));
  if (const auto* vector = std::get_if<TokenVector>(&work))
    return Flops(product(tokens, vector->elements, vector->flops_per_element));
  const std::int64_t pairs = product(tokens / config_.workload.seq_len, pairs_[op.layer][op.index]);
  if (const auto* attention = std::get_if<AttentionProduct>(&work))
    return Flops(product(pairs, attention->heads, attention->head_dim, 2));
  const auto& vector = std::get<PairVector>(work);
  return Flops(product(pairs, vector.heads, vector.flops_per_element));
}

void Machine::count_forward(OperatorRef op, std::int64_t tokens) {
  flops(op).forward += unit_flops(op, tokens);
}

void Machine::count_gradient(OperatorRef op, std::int64_t tokens, std::int64_t gradients) {
  flops(op).gradients += gradients * unit_flops(op, tokens);
}

void Machine::time(OperatorRef op, Pass pass, std::int64_t vectors) {
  timeline_.work(operator_busy(operator_of(op), pass, vectors, pairs_[op.layer][op.index], config_.wafer,
                               config_.workload));
}

void Machine::forward(OperatorRef op, std::int64_t tokens) {
  count_forward(op, tokens);
  time(op, Pass::forward, even_vectors(tokens, config_.wafer, config_.workload.precision));
}

void Machine::gradient(OperatorRef op, Pass pass, std::int64_t tokens) {
  count_gradient(op, tokens, 1);
  time(op, pass, even_vectors(tokens, config_.wafer, config_.workload.precision));
}

void Machine::both_gradients(OperatorRef op, std::int64_t tokens) {
  input_gradient(op, tokens);
  input_gradient(op, tokens);
}

void Machine::dispatch(std::int64_t routed_tokens) {
  timeline_.dispatch(move_s(routed_tokens, config_.model.hidden, config_.wafer, config_.workload));
}

void Machine::combine(std::int64_t routed_tokens) {
  timeline_.combine(move_s(routed_tokens, config_.model.hidden, config_.wafer, config_.workload));
}

void Machine::note_loads(std::size_t layer, std::vector<ExpertLoad> loads) {
  counters_.layers[layer].experts = std::move(loads);
}

}  // namespace bta::executor
