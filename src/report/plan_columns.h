// The columns of `plan`, in the order scripts rely on.
#pragma once

#include <span>

#include "plan/plan.h"
#include "report/grid.h"

namespace bta {

struct PlanLine {
  const Plan* plan;
  const PlanRow* row;
};
std::vector<PlanLine> lines_of(const Plan& plan);

std::span<const Column<PlanLine>> plan_columns();

/// One more for CSV, which has no other place for it: every assumed number of the hardware.
const Column<PlanLine>& assumptions_column();

/// Ends of the intervals, when a plan was asked how sure it is.
std::span<const Column<PlanLine>> confidence_columns();

/// For people: the levels again, with intervals.
std::span<const Column<PlanLine>> people_confidence_columns();

}  // namespace bta
