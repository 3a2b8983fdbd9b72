// What a run counted against the closed forms: FLOPs of every operator, bytes of every stream, memory of
// every phase tensor by tensor. All exact.
#pragma once

#include "cost/problem.h"
#include "executor/execute.h"
#include "verify/check.h"

namespace bta::verify {

/// One run and what it is compared with. The capacities are those the run was given.
struct Counted {
  const Problem& problem;
  const executor::Config& config;
  const executor::Measured& measured;
};

/// Executed FLOPs of every operator of every layer and of the head, and the step's totals by class.
void compare_flops(Comparison& comparison, const Counted& run);
/// What the kernels multiplied and added is what the schedule counted; runs with data only.
void compare_performed(Comparison& comparison, const Counted& run);
/// Weights and checkpoints in, gradients and checkpoints out, of every phase of every layer.
void compare_traffic(Comparison& comparison, const Counted& run);
/// Names and bytes alive at every step of every phase, for the deepest layer of each kind; each phase's peak;
/// the peak of the step; nothing left behind.
void compare_memory(Comparison& comparison, const Counted& run);
/// Every token visits k experts, no expert sees one twice, the rows hold all of them.
void compare_loads(Comparison& comparison, const Counted& run);

}  // namespace bta::verify
