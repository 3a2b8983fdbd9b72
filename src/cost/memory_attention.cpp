// The tensors of one tile of attention, forward and backward, by kind of attention. Part of memory.cpp.
#include "cost/memory_parts.h"

namespace bta::memory_parts {
namespace {

Bytes score_bytes(const Sizes& size, std::int64_t all_heads, std::int64_t live) {
  const Workload& workload = size.problem.workload;
  const std::int64_t heads = std::min(all_heads, size.problem.wafer.score_heads.value_or(all_heads));
  const std::int64_t rows = workload.kernel == AttentionKernel::materialized
                                ? workload.seq_len
                                : std::min(workload.seq_len, size.problem.wafer.attention_block_rows);
  return Bytes(product(live, size.tile_sequences, heads, rows, workload.seq_len, workload.bytes.score));
}

/// What stays while the tiles run, and the tile's normed input.
void add_input(PhaseMemory& memory, const Sizes& size, bool backward) {
  add(memory, "attention weights", size.weights(Stage::attention), 1, 4);
  if (backward) add(memory, "attention weight gradients", size.gradients(Stage::attention), 1, 4);
  if (!size.on_wafer()) add_transfer_buffers(memory, size, 4);
  add(memory, "normed input", size.tile(size.d()), 1, backward ? 4 : 2);
}

/// Live scores, and the context that they give.
void add_scores(PhaseMemory& memory, const Sizes& size, std::int64_t heads, std::int64_t v_head_dim,
                bool backward) {
  const Wafer& wafer = size.problem.wafer;
  const Bytes context = size.tile(product(heads, v_head_dim));
  const std::int64_t live = backward ? wafer.score_tensors_backward : wafer.score_tensors_forward;
  if (backward) add(memory, "context gradient", context, 3, 3);
  add(memory, "live score tensors", score_bytes(size, heads, live), 3, 3);
  add(memory, "context", context, 3, 4);
}

void add_forward(PhaseMemory& memory, const Sizes& size, const GroupedQueryAttention& a) {
  add_input(memory, size, false);
  add(memory, "q", size.tile(a.heads * a.qk_head_dim), 2, 3);
  add(memory, "k", size.tile(a.kv_heads * a.qk_head_dim), 2, 3);
  add(memory, "v", size.tile(a.kv_heads * a.v_head_dim), 2, 3);
  add_scores(memory, size, a.heads, a.v_head_dim, false);
}

void add_forward(PhaseMemory& memory, const Sizes& size, const LatentAttention& a) {
  add_input(memory, size, false);
  add(memory, "q latent", size.tile(a.q_rank), 2, 2);
  add(memory, "kv latent", size.tile(a.kv_rank + a.rope_head_dim), 2, 3);
  add(memory, "q", size.tile(product(a.heads, a.qk_head_dim())), 2, 3);
  add(memory, "k and v", size.tile(product(a.heads, a.nope_head_dim + a.v_head_dim)), 2, 3);
  add_scores(memory, size, a.heads, a.v_head_dim, false);
}

/// What the in-place norms of a tile's rows of q and k divided by, needed by their gradient: one number for
/// each row of each head, or of each projection.
Bytes qk_norm_scales(const Sizes& size, const GroupedQueryAttention& a) {
  const std::int64_t per_token = a.qk_norm == QkNorm::projection ? 2 : a.heads + a.kv_heads;
  return a.qk_norm == QkNorm::none ? Bytes() : Bytes(product(size.tile_tokens(), per_token, wide));
}

void add_backward(PhaseMemory& memory, const Sizes& size, const GroupedQueryAttention& a) {
  add_input(memory, size, true);
  add(memory, "q", size.tile(a.heads * a.qk_head_dim), 2, 3);
  add(memory, "k", size.tile(a.kv_heads * a.qk_head_dim), 2, 3);
  add(memory, "v", size.tile(a.kv_heads * a.v_head_dim), 2, 3);
  add(memory, "q/k norm scales", qk_norm_scales(size, a), 2, 3);
  add_scores(memory, size, a.heads, a.v_head_dim, true);
  add(memory, "q gradient", size.tile(a.heads * a.qk_head_dim), 3, 4);
  add(memory, "k gradient", size.tile(a.kv_heads * a.qk_head_dim), 3, 4);
  add(memory, "v gradient", size.tile(a.kv_heads * a.v_head_dim), 3, 4);
  add(memory, "normed input gradient", size.tile(size.d()), 4, 4);
}

void add_backward(PhaseMemory& memory, const Sizes& size, const LatentAttention& a) {
  const Bytes q = size.tile(product(a.heads, a.qk_head_dim()));
  const Bytes k_and_v = size.tile(product(a.heads, a.nope_head_dim + a.v_head_dim));
  add_input(memory, size, true);
  add(memory, "q latent", size.tile(a.q_rank), 2, 4);
  add(memory, "normed q latent", size.tile(a.q_rank), 2, 4);
  add(memory, "kv latent", size.tile(a.kv_rank + a.rope_head_dim), 2, 4);
  add(memory, "normed kv latent", size.tile(a.kv_rank), 2, 4);
  add(memory, "q", q, 2, 3);
  add(memory, "k and v", k_and_v, 2, 3);
  add_scores(memory, size, a.heads, a.v_head_dim, true);
  add(memory, "q gradient", q, 3, 4);
  add(memory, "k and v gradient", k_and_v, 3, 4);
  add(memory, "kv latent gradient", size.tile(a.kv_rank + a.rope_head_dim), 3, 4);
  add(memory, "q latent gradient", size.tile(a.q_rank), 4, 4);
  add(memory, "normed input gradient", size.tile(size.d()), 4, 4);
}

}  // namespace

void add_attention_forward(PhaseMemory& memory, const Sizes& size) {
  std::visit([&](const auto& a) { add_forward(memory, size, a); }, size.layer->layer.attention);
}

void add_attention_backward(PhaseMemory& memory, const Sizes& size) {
  std::visit([&](const auto& a) { add_backward(memory, size, a); }, size.layer->layer.attention);
}

}  // namespace bta::memory_parts
