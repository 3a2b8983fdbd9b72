#include "model/parameters.h"

#include "base/count.h"

namespace bta {
namespace {

/// Checked, as every product is.
template <class... Terms>
std::int64_t sum(Terms... terms) {
  std::int64_t result = 0;
  ((result = checked_add(result, terms)), ...);
  return result;
}

void add(std::int64_t& count, std::int64_t more) {
  count = checked_add(count, more);
}

std::int64_t qk_norm_gains(const GroupedQueryAttention& a) {
  switch (a.qk_norm) {
    case QkNorm::none:
    case QkNorm::unit:
      return 0;
    case QkNorm::per_head:
      return product(2, a.qk_head_dim);
    case QkNorm::projection:
      return product(sum(a.heads, a.kv_heads), a.qk_head_dim);
  }
  return 0;
}

std::int64_t attention_parameters(const GroupedQueryAttention& a, std::int64_t d) {
  const std::int64_t qkv =
      sum(product(a.heads, a.qk_head_dim), product(a.kv_heads, sum(a.qk_head_dim, a.v_head_dim)));
  const std::int64_t output = product(a.heads, a.v_head_dim, d);
  return sum(product(d, qkv), output, a.qkv_bias ? qkv : 0, a.output_bias ? d : 0, a.sinks ? a.heads : 0,
             qk_norm_gains(a));
}

/// `inputs` -> rank, its norm, rank -> outputs.
std::int64_t low_rank(std::int64_t inputs, std::int64_t rank, std::int64_t outputs, bool bias) {
  return sum(product(inputs, rank), bias ? rank : 0, rank, product(rank, outputs));
}

std::int64_t attention_parameters(const LatentAttention& a, std::int64_t d) {
  const std::int64_t q = product(a.heads, sum(a.nope_head_dim, a.rope_head_dim));
  const std::int64_t queries = a.q_rank == 0 ? product(d, q) : low_rank(d, a.q_rank, q, a.bias);
  const std::int64_t kv = product(a.heads, sum(a.nope_head_dim, a.v_head_dim));
  const std::int64_t keys = low_rank(d, a.kv_rank, kv, a.bias);
  const std::int64_t shared_key = sum(product(d, a.rope_head_dim), a.bias ? a.rope_head_dim : 0);
  return sum(queries, keys, shared_key, product(a.heads, a.v_head_dim, d), a.bias ? d : 0);
}

std::int64_t mlp_parameters(std::int64_t d, std::int64_t width, bool gated, bool bias) {
  const std::int64_t inner = gated ? 2 : 1;
  return sum(product(inner + 1, d, width), bias ? sum(product(inner, width), d) : 0);
}

void add_feed_forward(ParameterCount& count, const DenseMlp& mlp, std::int64_t d) {
  add(count.dense_mlp, mlp_parameters(d, mlp.width, mlp.gated, mlp.bias));
}

void add_feed_forward(ParameterCount& count, const MoeMlp& moe, std::int64_t d) {
  const std::int64_t expert = mlp_parameters(d, moe.width, moe.gated, moe.expert_bias);
  const std::int64_t biases = (moe.router_bias ? 1 : 0) + (moe.selection_bias ? 1 : 0);
  add(count.router, product(sum(d, biases), moe.experts));
  add(count.routed_experts, product(moe.experts, expert));
  add(count.routed_experts_active, product(moe.top_k, expert));
  if (moe.shared_width == 0) return;
  add(count.shared_experts, mlp_parameters(d, moe.shared_width, moe.gated, false));
  add(count.shared_experts, moe.shared_gate ? d : 0);
}

std::int64_t norm_parameters(const Layer& layer, std::int64_t d) {
  return product(layer.parallel ? 1 : 2, layer.post_norms ? 2 : 1, layer.norm_bias ? 2 : 1, d);
}

void add_layer(ParameterCount& count, const Layer& layer, std::int64_t d) {
  add(count.norms, norm_parameters(layer, d));
  std::visit([&](const auto& a) { add(count.attention, attention_parameters(a, d)); }, layer.attention);
  std::visit([&](const auto& mlp) { add_feed_forward(count, mlp, d); }, layer.feed_forward);
}

ParameterCount counted(const Model& model) {
  ParameterCount count;
  const std::int64_t d = model.hidden;
  count.tied = model.tied_embeddings;
  count.embedding = product(model.vocabulary, d);
  count.positions = product(model.positions, d);
  count.output_head =
      sum(model.tied_embeddings ? 0 : count.embedding, model.head_bias ? model.vocabulary : 0);
  count.norms = product(model.norm_bias ? 2 : 1, d);
  count.beside = model.beside;
  for (const Layer& layer : model.layers) add_layer(count, layer, d);
  return count;
}

}  // namespace

std::int64_t ParameterCount::total() const {
  return sum(embedding, positions, output_head, attention, norms, dense_mlp, router, shared_experts,
             routed_experts);
}

std::int64_t ParameterCount::active() const {
  return sum(total() - routed_experts, routed_experts_active);
}

std::int64_t ParameterCount::active_without_input_embedding() const {
  return active() - (tied ? 0 : embedding);
}

ParameterCount count_parameters(const Model& model) {
  try {
    ParameterCount count = counted(model);
    static_cast<void>(count.total());
    return count;
  } catch (const std::overflow_error&) {
    throw ModelTooLarge();
  }
}

std::int64_t training_state_bytes(std::int64_t parameters, std::int64_t bytes_per_parameter) {
  return product(parameters, bytes_per_parameter);
}

}  // namespace bta
