// Byte sizes that the phases of one kind of layer share, and how a phase's list is filled. Part of
// memory.cpp and memory_attention.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cost/memory.h"
#include "cost/term.h"

namespace bta::memory_parts {

inline constexpr std::int64_t wide = 4;  // bytes of logits, probabilities, scalars and accumulated gradients
inline constexpr std::int64_t top_k_entry = 8;  // index and weight
inline constexpr int most_steps = 5;            // of a phase

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

inline void add(PhaseMemory& memory, std::string_view name, Bytes bytes, int first, int last) {
  if (memory.tensors.empty()) memory.tensors.reserve(26);  // the longest list; a search builds many
  if (bytes.value <= 0) return;
  const std::string_view phase = memory_phase_name(memory.phase);
  const int born = step_term(phase, name, "first", first, 1, most_steps);
  const int died = step_term(phase, name, "last", last, 1, most_steps);
  memory.tensors.push_back({name, Bytes(term(phase, name, "bytes", bytes.value)), born, died});
}

inline void add_transfer_buffers(PhaseMemory& memory, const Sizes& size, int last) {
  add(memory, "two transfer buffers", 2 * size.tile(size.d()), 1, last);
}

/// Checkpoints that stay on the wafer: X and Y of this layer and of those before it.
inline void add_kept(PhaseMemory& memory, const Sizes& size, std::int64_t inputs,
                     std::int64_t after_attention, int last) {
  if (!size.on_wafer()) return;
  add(memory, "kept X of the layers", inputs * size.all(), 1, last);
  add(memory, "kept Y of the layers", after_attention * size.all(), 1, last);
}

/// What one tile of attention needs besides the concatenated tensors: memory_attention.cpp.
void add_attention_forward(PhaseMemory& memory, const Sizes& size);
void add_attention_backward(PhaseMemory& memory, const Sizes& size);

}  // namespace bta::memory_parts
