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

namespace bta {

struct ForwardBackward {
  Timed forward;
  Timed backward;
};

/// h of one expert at exactly `slots` token slots per row.
ForwardBackward expert_time(const Problem& problem, const ProblemLayer& layer, double slots);

/// Sum of E[h] over the experts of one MoE layer with T tokens, and the moves of compacted placement.
ForwardBackward expected_expert_time(const Problem& problem, const ProblemLayer& layer, std::int64_t tokens);

}  // namespace bta
