// The phases of a step, by name: those that time is counted in, and the coarser ones of the memory list.
// Order of events: docs/schedule.md.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace bta {

enum class PhaseKind {
  attention_forward,
  router_forward,
  experts_forward,
  shared_expert_forward,
  dense_mlp_forward,
  head,
  router_backward,
  experts_backward,
  shared_expert_backward,
  dense_mlp_backward,
  attention_recompute,
  attention_backward,
  fixed
};
inline constexpr std::array<std::string_view, 13> phase_names = {
    "attention forward",     "router forward",      "experts forward",
    "shared expert forward", "dense MLP forward",   "head",
    "router backward",       "experts backward",    "shared expert backward",
    "dense MLP backward",    "attention recompute", "attention backward",
    "fixed overhead"};
inline std::string_view phase_name(PhaseKind kind) {
  return phase_names[static_cast<std::size_t>(kind)];
}

enum class MemoryPhase {
  attention_forward,
  moe_forward,
  dense_mlp_forward,
  head,
  attention_recompute,
  moe_backward,
  dense_mlp_backward,
  attention_backward
};
inline constexpr std::array<std::string_view, 8> memory_phase_names = {
    "attention forward",   "MoE forward",  "dense MLP forward",  "head",
    "attention recompute", "MoE backward", "dense MLP backward", "attention backward"};
inline std::string_view memory_phase_name(MemoryPhase phase) {
  return memory_phase_names[static_cast<std::size_t>(phase)];
}

}  // namespace bta
