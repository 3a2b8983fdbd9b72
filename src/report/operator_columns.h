// The columns of the operators of one point: one row per operator, phase and kind of layer.
#pragma once

#include <span>

#include "plan/explain.h"
#include "report/grid.h"

namespace bta {

struct OperatorLine {
  const OperatorCost* cost;
  std::string layers;  // where the model has several kinds of layers
};
std::vector<OperatorLine> operator_lines(const Explanation& e);

std::span<const Column<OperatorLine>> operator_columns();

std::string_view name_of(FlopClass flop_class);

}  // namespace bta
