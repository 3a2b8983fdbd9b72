// FLOPs, exactly. 1 multiply-add = 2 FLOPs; the mask convention is the workload's.
//   model FLOPs     forward matmuls * 3 (forward, data gradient, weight gradient), no recomputation, no
//   vector work hardware FLOPs  the matmuls the chip executes: recomputation included, padding not (padding
//   is time) vector FLOPs    a class of its own, at the stated count per element
// Tokens through an operator: T, or T*k for the routed experts. The embedding lookup is 0; the head is
// 2*T*d*V whether tied or not. Throws std::overflow_error beyond 64 bits. Source: docs/model.md, "FLOPs".
#pragma once

#include "cost/problem.h"
#include "cost/step_time.h"

namespace bta {

/// One forward run of one operator on N sequences.
Flops forward_flops(const Problem& problem, const ProblemLayer* layer, const Operator& op,
                    std::int64_t sequences);

/// What the chip runs of an operator in one phase: forward runs, and twice a forward for the gradients (none
/// of an operator whose gradient is taken elsewhere).
Flops executed_flops(const Operator& op, Flops forward, Passes passes);

struct FlopCount {
  Flops model_forward;   // gemm and attention class, one forward pass
  Flops model_training;  // 3 * model_forward
  Flops hardware;        // executed gemm and attention class in a step
  Flops vector;          // executed vector class in a step
};
FlopCount count_flops(const Problem& problem, std::int64_t sequences);

/// The phases in which a layer's operators of one stage run, for the workload's checkpoint policy.
std::vector<PhaseKind> phases_of(Stage stage, Checkpoint checkpoint);

/// Hardware FLOPs over time over the published dense peak of all wafers, and over the peak of the grid used.
struct Utilization {
  double of_published_peak = 0;
  double of_grid_peak = 0;  // R*C*2*v*clock
};
Utilization utilization(const Problem& problem, double hardware_flops, double step_s);

}  // namespace bta
