// The main job: for every sparsity level the best (B, G), the best uniform batch (G = 1), the speedup, the
// dense reference (E = k at its own best uniform batch), and what binds.
//   speedup = tokens_per_s / uniform_tokens_per_s          sparsity = 1 - k/E
//   loss_uniform = 1 - uniform/dense    loss_bta = 1 - tokens_per_s/dense (may be negative)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cost/flops.h"
#include "plan/interval.h"
#include "plan/level.h"
#include "plan/search.h"

namespace bta {

/// One level. Absent values are absent in every format; infeasible rows keep their inputs and their reason.
struct PlanRow {
  std::optional<Level> level;  // absent for a dense model
  std::optional<double> sparsity;
  std::optional<Candidate> best;
  std::optional<Candidate> uniform;
  std::optional<Candidate> dense;
  std::optional<double> tokens_per_expert;  // T*k/E
  std::optional<double> speedup;
  std::optional<double> loss_uniform;
  std::optional<double> loss_bta;
  std::optional<Utilization> utilization;
  std::string
      bound;  // a resource, or "memory" when the next larger micro-batch would be faster but does not fit
  std::string step_bound;  // the resource with the largest share of step time
  /// With a blocked kernel (scores not resident) instead of the materialized one: how much hangs on live
  /// scores.
  std::optional<double> blocked_tokens_per_s;
  std::optional<double> blocked_speedup;
  std::optional<std::int64_t> active_parameters;
  Bytes memory_limit;
  std::string reason;                       // why infeasible; empty when ok
  std::optional<RowConfidence> confidence;  // when it was asked for, see plan/confidence.h
  bool feasible() const { return best.has_value(); }
};

struct PlanRequest {
  Model model;
  Wafer wafer;
  Workload workload;
  Constraints constraints;
  std::vector<Level> levels;  // empty: the model as it is (dense)
  bool iso_active = false;
};

struct Plan {
  PlanRequest request;
  std::vector<PlanRow> rows;  // one per level, in order
  std::optional<PlanConfidence> confidence;
};

Plan make_plan(const PlanRequest& request);

/// `memory` or the busiest resource, see PlanRow::bound.
std::string plan_bound(const Problem& problem, const Constraints& constraints, const Candidate& best);

}  // namespace bta
