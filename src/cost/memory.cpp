#include "cost/memory.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cost/row_load.h"
#include "cost/term.h"

namespace bta {
namespace {

constexpr std::int64_t wide = 4;         // bytes of logits, probabilities, scalars and accumulated gradients
constexpr std::int64_t top_k_entry = 8;  // index and weight
constexpr int most_steps = 5;            // of a phase

/// Byte sizes that the phases of one kind of layer share.
struct Sizes {
  const Problem& problem;
  const ProblemLayer* layer;
  std::size_t kind;  // of layer, in the problem
  std::int64_t tile_sequences, sequences, cap;

  std::int64_t tile_tokens() const { return product(tile_sequences, problem.workload.seq_len); }
  std::int64_t tokens() const { return product(sequences, problem.workload.seq_len); }
  Bytes all() const { return activation_bytes(problem, sequences); }  // x
  Bytes activations(std::int64_t tokens, std::int64_t width) const {
    return Bytes(product(tokens, width, problem.workload.bytes.activation));
  }
  Bytes tile(std::int64_t width) const { return activations(tile_tokens(), width); }
  Bytes weights(Stage stage) const {
    return Bytes(product(stage_parameters(layer->operators, stage), problem.workload.bytes.weight));
  }
  Bytes gradients(Stage stage) const {
    return Bytes(product(stage_parameters(layer->operators, stage), wide));
  }
  std::int64_t d() const { return problem.model.hidden; }
  bool on_wafer() const { return problem.workload.checkpoint == Checkpoint::wafer; }
  bool streams_y() const { return problem.workload.checkpoint == Checkpoint::XY; }
};

void add(PhaseMemory& memory, std::string_view name, Bytes bytes, int first, int last) {
  if (memory.tensors.empty()) memory.tensors.reserve(26);  // the longest list; a search builds many
  if (bytes.value <= 0) return;
  const std::string_view phase = memory_phase_name(memory.phase);
  const int born = step_term(phase, name, "first", first, 1, most_steps);
  const int died = step_term(phase, name, "last", last, 1, most_steps);
  memory.tensors.push_back({name, Bytes(term(phase, name, "bytes", bytes.value)), born, died});
}

void add_transfer_buffers(PhaseMemory& memory, const Sizes& size, int last) {
  add(memory, "two transfer buffers", 2 * size.tile(size.d()), 1, last);
}

/// Checkpoints that stay on the wafer: X and Y of this layer and of those before it.
void add_kept(PhaseMemory& memory, const Sizes& size, std::int64_t inputs, std::int64_t after_attention,
              int last) {
  if (!size.on_wafer()) return;
  add(memory, "kept X of the layers", inputs * size.all(), 1, last);
  add(memory, "kept Y of the layers", after_attention * size.all(), 1, last);
}

// One tile of attention: its tensors besides the concatenated ones, forward and backward, by kind of
// attention.

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

void add_attention_forward(PhaseMemory& memory, const Sizes& size) {
  std::visit([&](const auto& a) { add_forward(memory, size, a); }, size.layer->layer.attention);
}

void add_attention_backward(PhaseMemory& memory, const Sizes& size) {
  std::visit([&](const auto& a) { add_backward(memory, size, a); }, size.layer->layer.attention);
}

// The phases.

PhaseMemory attention_forward(const Sizes& size) {
  PhaseMemory memory{MemoryPhase::attention_forward, size.kind, {}};
  add(memory, "X, becoming Y", size.all(), 1, 4);
  add_kept(memory, size, size.layer->deepest, size.layer->deepest - 1, 4);
  add_attention_forward(memory, size);
  return memory;
}

PhaseMemory attention_recompute(const Sizes& size) {
  PhaseMemory memory{MemoryPhase::attention_recompute, size.kind, {}};
  add(memory, "dZ", size.all(), 1, 4);
  add(memory, "Y", size.all(), 1, 4);
  add_attention_forward(memory, size);
  return memory;
}

PhaseMemory attention_backward(const Sizes& size) {
  PhaseMemory memory{MemoryPhase::attention_backward, size.kind, {}};
  add(memory, "dY, becoming dX", size.all(), 1, 4);
  add_kept(memory, size, size.layer->deepest, size.layer->deepest - 1, 4);
  add_attention_backward(memory, size);
  return memory;
}

/// One expert's tensors for cap tokens, forward or backward: 2d + 3f (2d + 2f when not gated).
void add_expert(PhaseMemory& memory, const Sizes& size, const MoeMlp& moe, std::string_view hidden,
                std::string_view output) {
  add(memory, "expert input", size.activations(size.cap, size.d()), 3, 3);
  if (moe.gated) add(memory, "expert gate", size.activations(size.cap, moe.width), 3, 3);
  add(memory, "expert up", size.activations(size.cap, moe.width), 3, 3);
  add(memory, hidden, size.activations(size.cap, moe.width), 3, 3);
  add(memory, output, size.activations(size.cap, size.d()), 3, 3);
  add(memory, "two expert weight buffers", 2 * size.weights(Stage::expert), 3, 3);
}

void add_shared(PhaseMemory& memory, const Sizes& size, const MoeMlp& moe, bool backward) {
  if (moe.shared_width == 0) return;
  add(memory, "shared expert weights", size.weights(Stage::shared_expert), 4, 4);
  if (backward) add(memory, "shared expert weight gradients", size.gradients(Stage::shared_expert), 4, 4);
  if (moe.shared_gate)
    add(memory, "shared expert gate values", Bytes(product(size.tile_tokens(), wide)), 4, 4);
  add(memory, "shared expert input", size.tile(size.d()), 4, 4);
  if (moe.gated) add(memory, "shared expert gate", size.tile(moe.shared_width), 4, 4);
  add(memory, "shared expert up", size.tile(moe.shared_width), 4, 4);
  add(memory, "shared expert hidden", size.tile(moe.shared_width), 4, 4);
  if (backward) add(memory, "shared expert input gradient", size.tile(size.d()), 4, 4);
}

Bytes top_k_bytes(const Sizes& size, const MoeMlp& moe) {
  return Bytes(product(size.tokens(), moe.top_k, top_k_entry));
}
Bytes router_bytes(const Sizes& size, const MoeMlp& moe) {
  return Bytes(product(size.tokens(), moe.experts, wide));
}

PhaseMemory moe_forward(const Sizes& size, const MoeMlp& moe) {
  PhaseMemory memory{MemoryPhase::moe_forward, size.kind, {}};
  const int last = moe.shared_width > 0 ? 4 : 3;
  add(memory, "Y", size.all(), 1, last);
  add(memory, "Z", size.all(), 3, last);
  add_kept(memory, size, size.layer->deepest, size.layer->deepest - 1, last);
  add(memory, "router weight", size.weights(Stage::router), 1, last);  // with the norm's gain
  add(memory, "normed tile", size.tile(size.d()), 1, 1);
  add(memory, "router logits", router_bytes(size, moe), 1, 2);
  add(memory, "top-k choices", top_k_bytes(size, moe), 2, 3);
  add_expert(memory, size, moe, "expert hidden", "expert output");
  add_shared(memory, size, moe, false);
  return memory;
}

PhaseMemory moe_backward(const Sizes& size, const MoeMlp& moe) {
  PhaseMemory memory{MemoryPhase::moe_backward, size.kind, {}};
  add(memory, "Y", size.all(), 1, 5);
  add(memory, "dZ", size.all(), 1, 5);
  add(memory, "dY", size.all(), 3, 5);
  add_kept(memory, size, size.layer->deepest, size.layer->deepest - 1, 5);
  add(memory, "router weight", size.weights(Stage::router), 1, 5);
  add(memory, "router probabilities", router_bytes(size, moe), 1, 5);
  add(memory, "normed tile", size.tile(size.d()), 1, 1);
  add(memory, "top-k choices", top_k_bytes(size, moe), 2, 5);
  add_expert(memory, size, moe, "expert hidden and its gradient", "expert output and input gradient");
  add(memory, "two expert gradient buffers", 2 * size.gradients(Stage::expert), 3, 3);
  add_shared(memory, size, moe, true);
  add(memory, "router weight gradient", size.gradients(Stage::router), 5, 5);
  add(memory, "normed tile of the router", size.tile(size.d()), 5, 5);
  return memory;
}

PhaseMemory dense_forward(const Sizes& size, const DenseMlp& mlp) {
  PhaseMemory memory{MemoryPhase::dense_mlp_forward, size.kind, {}};
  add(memory, "Y, becoming Z", size.all(), 1, 4);
  add_kept(memory, size, size.layer->deepest, size.layer->deepest, 4);
  add(memory, "MLP weights", size.weights(Stage::dense_mlp), 1, 4);
  if (size.streams_y()) add_transfer_buffers(memory, size, 4);
  add(memory, "normed input", size.tile(size.d()), 1, 2);
  if (mlp.gated) add(memory, "gate", size.tile(mlp.width), 2, 3);
  add(memory, "up", size.tile(mlp.width), 2, 3);
  add(memory, "hidden", size.tile(mlp.width), 3, 4);
  return memory;
}

PhaseMemory dense_backward(const Sizes& size, const DenseMlp& mlp) {
  PhaseMemory memory{MemoryPhase::dense_mlp_backward, size.kind, {}};
  add(memory, "dZ, becoming dY", size.all(), 1, 4);
  add_kept(memory, size, size.layer->deepest, size.layer->deepest, 4);
  if (!size.streams_y() && !size.on_wafer()) add(memory, "Y", size.all(), 1, 4);
  add(memory, "MLP weights", size.weights(Stage::dense_mlp), 1, 4);
  add(memory, "MLP weight gradients", size.gradients(Stage::dense_mlp), 1, 4);
  if (size.streams_y()) add_transfer_buffers(memory, size, 4);
  add(memory, "normed input", size.tile(size.d()), 1, 4);
  if (mlp.gated) add(memory, "gate and its gradient", size.tile(mlp.width), 2, 4);
  add(memory, "up and its gradient", size.tile(mlp.width), 2, 4);
  add(memory, "hidden and its gradient", size.tile(mlp.width), 3, 4);
  add(memory, "output and input gradient", size.tile(size.d()), 3, 4);
  return memory;
}

PhaseMemory head(const Problem& problem, const MemoryShape& shape) {
  PhaseMemory memory{MemoryPhase::head, 0, {}};
  const Sizes size{problem, nullptr, 0, shape.tile_batch, shape.micro_batch, 0};
  const std::int64_t chunk = std::min(problem.head_chunk, size.tokens());
  const std::int64_t parameters = stage_parameters(problem.head, Stage::head);
  const auto layers = static_cast<std::int64_t>(problem.model.layers.size());
  add(memory, "h, becoming dh", size.all(), 1, 3);
  add_kept(memory, size, layers, layers, 3);
  add(memory, "head weight", Bytes(product(parameters, problem.workload.bytes.weight)), 1, 3);
  add(memory, "head weight gradient", Bytes(product(parameters, wide)), 1, 3);
  add(memory, "normed chunk", size.activations(chunk, problem.model.hidden), 1, 3);
  add(memory, "logits of a chunk", Bytes(product(chunk, problem.model.vocabulary, wide)), 2, 3);
  add(memory, "normed chunk gradient", size.activations(chunk, problem.model.hidden), 3, 3);
  return memory;
}

void add_tiled_phases(std::vector<PhaseMemory>& phases, const Sizes& size) {
  phases.push_back(attention_forward(size));
  if (const auto* mlp = std::get_if<DenseMlp>(&size.layer->layer.feed_forward)) {
    phases.push_back(dense_forward(size, *mlp));
    phases.push_back(dense_backward(size, *mlp));
  }
  if (size.problem.workload.checkpoint == Checkpoint::X) phases.push_back(attention_recompute(size));
  phases.push_back(attention_backward(size));
}

/// Bytes alive at steps 1..5.
std::array<Bytes, 5> bytes_by_step(const PhaseMemory& memory) {
  std::array<Bytes, 5> alive{};
  for (const Tensor& tensor : memory.tensors)
    for (int step = tensor.first; step <= tensor.last; ++step)
      alive[static_cast<std::size_t>(step - 1)] += tensor.bytes;
  return alive;
}

}  // namespace

std::vector<std::int64_t> expert_capacities(const Problem& problem, std::int64_t sequences) {
  const std::int64_t tokens = product(sequences, problem.workload.seq_len);
  const std::int64_t layers = moe_layers(problem.model);
  std::vector<std::int64_t> capacities;
  for (const ProblemLayer& layer : problem.layers) {
    const auto* moe = std::get_if<MoeMlp>(&layer.layer.feed_forward);
    const double draws = moe ? as_double(product(moe->experts, layers)) : 1;
    const double tail =
        term("capacity", "expert buffer", "tail", (1 - problem.workload.capacity_quantile) / draws);
    const auto cap = [&] {  // a token may come however unlikely it is: never 0
      return std::max<std::int64_t>(1, expert_capacity(tokens, layer.experts.front().probability, tail));
    };
    capacities.push_back(moe ? term("capacity", "expert buffer", "tokens", cap()) : 0);
  }
  return capacities;
}

std::vector<PhaseMemory> memory_phases(const Problem& problem, const MemoryShape& shape) {
  std::vector<PhaseMemory> phases;
  for (std::size_t i = 0; i < problem.layers.size(); ++i) {
    const ProblemLayer& layer = problem.layers[i];
    const Sizes size{problem, &layer, i, shape.tile_batch, shape.micro_batch, shape.expert_capacity[i]};
    add_tiled_phases(phases, size);
    if (const auto* moe = std::get_if<MoeMlp>(&layer.layer.feed_forward)) {
      phases.push_back(moe_forward(size, *moe));
      phases.push_back(moe_backward(size, *moe));
    }
  }
  phases.push_back(head(problem, shape));
  return phases;
}

Peak peak_memory(const std::vector<PhaseMemory>& phases) {
  Peak peak;
  const PhaseMemory* worst = nullptr;
  for (const PhaseMemory& memory : phases) {
    const auto alive = bytes_by_step(memory);
    const auto most = std::ranges::max_element(alive);
    if (*most <= peak.bytes) continue;
    peak = {memory.phase, static_cast<int>(most - alive.begin()) + 1, *most, {}};
    worst = &memory;
  }
  if (worst != nullptr)
    std::ranges::copy_if(worst->tensors, std::back_inserter(peak.tensors), [&](const Tensor& tensor) {
      return tensor.first <= peak.step && peak.step <= tensor.last;
    });
  return peak;
}

Peak peak_memory(const Problem& problem, Tiling tiling) {
  const std::int64_t sequences = micro_batch(tiling).value;
  return peak_memory(
      memory_phases(problem, {tiling.tile_batch, sequences, expert_capacities(problem, sequences)}));
}

Bytes tile_memory(const Problem& problem, std::int64_t tile_batch, std::int64_t micro_batch) {
  std::vector<PhaseMemory> phases;
  for (const ProblemLayer& layer : problem.layers)
    add_tiled_phases(phases, Sizes{problem, &layer, 0, tile_batch, micro_batch, 0});
  return peak_memory(phases).bytes;
}

}  // namespace bta
