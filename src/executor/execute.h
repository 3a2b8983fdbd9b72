// The reference tiled executor: one training step of a model, forward and backward, on one wafer, in the
// order of docs/schedule.md: attention over G tiles of B sequences, router and experts once on N = B*G. One
// schedule drives runs with data (double, float), runs of shapes alone, and the timeline.
//
// Results do not depend on the tiling, bit for bit: outside the experts every product and every sum runs
// sequence by sequence in global order with fixed shapes; experts see their tokens in global order.
//
// Needs B, G, S, hc, cap >= 1, mask full or causal, a batch of B*G*S tokens inside the vocabulary, else
// std::invalid_argument; std::overflow_error when a count exceeds 64 bits. The embedding lookup and its
// gradient happen off the wafer.
#pragma once

#include <vector>

#include "executor/machine.h"
#include "executor/run.h"
#include "executor/weights.h"

namespace bta::executor {

/// What the wafer did: memory, counts, time.
struct Measured {
  std::vector<PhaseUse> phases;  // in the order they ran
  Bytes peak;
  Counters counters;
  Timeline timeline;
  std::vector<ArenaEvent> arena_events;  // when recorded
  std::size_t tensors_left = 0;          // alive at the end: 0
};

/// No data; `loads` gives every MoE layer's tokens per expert.
Measured execute_shapes(const Config& config, const LoadSource& loads, Recording recording = {});

template <class Scalar>
struct StepResult {
  Measured measured;
  double loss = 0;
  Matrix<Scalar> logits;                           // [T][V]
  std::vector<std::vector<std::int64_t>> choices;  // by layer, k experts for every token
  Weights<Scalar> gradients;
};

/// A whole step on N = B*G sequences of S tokens. Scalar: double or float.
template <class Scalar>
StepResult<Scalar> execute(const Config& config, const Weights<Scalar>& weights, const Batch& batch,
                           Recording recording = {});

}  // namespace bta::executor
