// Memory of one wafer at the worst moment of the step: one named list of tensors with lifetimes, read off
// docs/schedule.md. peak = max over phases, over the steps of a phase, of the sum of the tensors alive.
//   x = N*S*d*a;  score tensors = score_tensors * B*score_heads*S*rows*s, rows = S (materialized) or one
//   block of query rows (blocked): depends on B, never on G
//   cap: smallest >= 1 with P(Binomial(T, p_e) <= cap) >= 1 - (1-q)/(E * MoE layers), likeliest expert
// Never falls when B rises at fixed N, or when N rises at fixed B. Exact; std::overflow_error beyond 64 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cost/phases.h"
#include "cost/problem.h"

namespace bta {

/// Sizes depend on B and N only. `expert_capacity` holds cap of each of the problem's layers (0 when dense).
struct MemoryShape {
  std::int64_t tile_batch = 1;   // B
  std::int64_t micro_batch = 1;  // N
  std::vector<std::int64_t> expert_capacity;
};
/// cap of every kind of layer at N sequences.
std::vector<std::int64_t> expert_capacities(const Problem& problem, std::int64_t sequences);

/// One tensor (or a group that lives and dies together), alive during steps first..last of its phase.
struct Tensor {
  std::string_view name;
  Bytes bytes;
  int first = 1;
  int last = 1;
};

/// The tensors of one phase of one kind of layer.
struct PhaseMemory {
  MemoryPhase phase = MemoryPhase::head;
  std::size_t kind = 0;  // the problem's layer kind it belongs to; 0 for the head
  std::vector<Tensor> tensors;
};
std::vector<PhaseMemory> memory_phases(const Problem& problem, const MemoryShape& shape);

struct Peak {
  MemoryPhase phase = MemoryPhase::head;
  int step = 1;
  Bytes bytes;
  std::vector<Tensor> tensors;  // alive at that step
};
Peak peak_memory(const std::vector<PhaseMemory>& phases);
Peak peak_memory(const Problem& problem, Tiling tiling);

/// The peak of attention and dense MLP phases alone: needs no expert buffer, cheap, and a lower bound of the
/// peak.
Bytes tile_memory(const Problem& problem, std::int64_t tile_batch, std::int64_t micro_batch);

}  // namespace bta
