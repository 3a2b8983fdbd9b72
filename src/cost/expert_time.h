// Expected time of a layer's routed experts, run one by one on the whole wafer.
//   h(n)  = combine([GEMMs at n slots + overhead, max(stream in, stream out)], omega_stream)
//   h(0)  = combine([overhead, stream], omega_stream): nothing to compute, the weights stream all the same
//   E[h]  = sum_j h(j*v) * P(slots = j*v)                 summed over the experts
// forward: the weights in. backward: recomputed forward and both gradients; weights in, gradients out.
// compacted placement adds moves of T*k*d*a/(4*C*link) cycles each: dispatch and combine in the forward
// pass, dispatch of inputs and of gradients and combine in the backward pass.
// Source: docs/model.md, "Experts".
#pragma once

#include "cost/problem.h"
#include "cost/roofline.h"
#include "cost/row_load.h"

namespace bta {

struct ForwardBackward {
  Timed forward;
  Timed backward;
};

/// h of one expert at exactly `slots` token slots per row.
ForwardBackward expert_time(const Problem& problem, const ProblemLayer& layer, double slots);

/// The on-wafer part of h at `slots` > 0, or 0: GEMMs and overhead of one expert, without its stream.
ForwardBackward expert_work(const Problem& problem, const ProblemLayer& layer, double slots);

/// The moves of compacted placement with T tokens; nothing when placement is masked.
ForwardBackward expert_moves(const Problem& problem, const ProblemLayer& layer, std::int64_t tokens);

/// Row loads of T tokens as the workload's routing is expected to fill them, likeliest experts first.
LayerLoads expected_loads(const Problem& problem, const ProblemLayer& layer, std::int64_t tokens);

/// Sum of E[h] over the experts of one MoE layer with T tokens and these row loads, and the moves.
ForwardBackward expected_expert_time(const Problem& problem, const ProblemLayer& layer, std::int64_t tokens,
                                     const LayerLoads& loads);

}  // namespace bta
