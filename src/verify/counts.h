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
/// Names and bytes alive at every step of every phase, each phase's peak, the peak of the step; no phase more
/// or less; nothing left behind. With checkpoint wafer the deepest layer of each kind, else every layer.
void compare_memory(Comparison& comparison, const Counted& run);
/// By layer: the k experts of every token, in order.
using Choices = std::vector<std::vector<std::int64_t>>;
/// Every token chose k different experts, and every expert saw those that chose it.
void compare_choices(Comparison& comparison, const Counted& run, const Choices& choices);

}  // namespace bta::verify
