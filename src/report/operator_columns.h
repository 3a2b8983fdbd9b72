// The columns of the operators of one point: one row per operator and phase, all layers together.
#pragma once

#include <span>

#include "plan/explain.h"
#include "report/grid.h"

namespace bta {

std::span<const Column<OperatorCost>> operator_columns();

std::string_view name_of(FlopClass flop_class);

}  // namespace bta
