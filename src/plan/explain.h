// One point (B, G) in full: per operator FLOPs, bytes, intensity, time by resource and what binds; memory by
// tensor at the peak; row fill; the ridge. Works for infeasible points too.
//   intensity = FLOPs / bytes streamed for the operator in that phase
//   ridge     tokens per expert at which an expert's on-wafer time reaches its stream time, per pass:
//             even rows (n slots = tokens/R, no padding), and with the rows as they really fill
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cost/flops.h"
#include "cost/memory.h"
#include "cost/step_time.h"
#include "model/parameters.h"
#include "plan/constraints.h"

namespace bta {

/// One operator in one phase, all layers of a kind and all experts together.
struct OperatorCost {
  std::string_view name;
  std::string_view phase;
  FlopClass flop_class = FlopClass::gemm;
  Flops flops;                      // executed in this phase
  Bytes bytes_in;                   // weights streamed in
  Bytes bytes_out;                  // gradients streamed out
  std::optional<double> intensity;  // FLOPs per streamed byte; absent when nothing is streamed
  ResourceTimes
      busy;  // expected; overheads, checkpoints and the moves of compacted placement stand in the phases only
  std::optional<Resource> bound;  // absent for vector operators: counted, not timed
  std::int64_t deepest = 0;       // 1-based position of the last layer of its kind; 0: the head's
};

struct RowFill {
  double tokens_per_expert = 0;      // T*k/E
  double mean_row_load = 0;          // T*p/R of the average expert
  double expected_slots = 0;         // E[slots], mean over the experts
  double compute_density = 0;        // mean row load / E[slots]
  double experts_touched = 0;        // expected experts with at least one token; all E are streamed
  std::int64_t expert_capacity = 0;  // cap
  Bytes routed_inputs;               // k*T*d*a: one copy of the routed inputs of a layer
  Bytes gate_and_up;                 // k*T*2f*a
};

struct Ridge {
  std::string_view pass;                         // "forward" or "backward"
  std::optional<double> even_tokens_per_expert;  // absent: never reached
  std::optional<double> filled_tokens_per_expert;
  std::optional<double> distance;  // tokens_per_expert / filled ridge; < 1: the stream binds
};

struct Explanation {
  Problem problem;
  Constraints constraints;
  Tiling tiling;
  ParameterCount parameters;
  FlopCount flops;
  StepTime step;
  double tokens_per_s = 0;
  Utilization utilization;
  std::string bound;
  std::string step_bound;
  Peak peak;
  Bytes memory_limit;
  Bytes streamed_in, streamed_out;  // of a step: weights and checkpoints in; gradients and checkpoints out
  Bytes resident_weights;           // largest weights on the wafer at once
  bool feasible = false;
  std::string reason;
  std::vector<OperatorCost> operators;
  std::optional<RowFill> row_fill;  // absent for a dense model
  std::vector<Ridge> ridges;
};

Explanation explain(const Problem& problem, const Constraints& constraints, Tiling tiling);

}  // namespace bta
