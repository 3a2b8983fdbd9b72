// Bytes between the wafer and its external memory, exactly: what one phase of one layer streams.
//
//   weights in     every parameter of the phase's stage, w bytes each; of all E experts in theirs
//   gradients out  the same parameters, g bytes each, in the phases that make gradients
//   checkpoint X   out in attention forward, in in attention recompute and backward; x = N*S*d*a bytes
//   checkpoint Y   out in the experts' or dense MLP's forward, in in their backward (policy XY)
//
// Source: docs/schedule.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cost/phases.h"
#include "cost/problem.h"

namespace bta {

/// What a phase streams; of one layer, the head's once.
struct PhaseTraffic {
  PhaseKind kind = PhaseKind::fixed;
  Bytes weights_in, checkpoint_in, gradients_out, checkpoint_out;
  Bytes in() const { return weights_in + checkpoint_in; }
  Bytes out() const { return gradients_out + checkpoint_out; }
};

/// Weights and gradients of the operators of a phase's stage; of one expert in the experts' phases.
PhaseTraffic parameter_traffic(const Problem& problem, std::span<const Operator> operators, PhaseKind kind);

/// One phase of a layer like this one.
PhaseTraffic phase_traffic(const Problem& problem, const ProblemLayer& layer, PhaseKind kind,
                           std::int64_t sequences);

/// All phases of the layer in which something is streamed, in the order of PhaseKind.
std::vector<PhaseTraffic> layer_traffic(const Problem& problem, const ProblemLayer& layer,
                                        std::int64_t sequences);
PhaseTraffic head_traffic(const Problem& problem);

}  // namespace bta
