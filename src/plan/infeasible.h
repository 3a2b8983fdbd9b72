// Why a point does not fit, and what would make it fit.
#pragma once

#include <string>

#include "cost/memory.h"
#include "plan/constraints.h"

namespace bta {

/// Names the phase, the largest tensor, the excess and a remedy; empty when it fits and is allowed.
/// "attention backward needs 12.9 GB of 11.0 GB: live score tensors 9.7 GB; 1.9 GB too much; fits with ..."
std::string why_infeasible(const Problem& problem, const Constraints& constraints, Tiling tiling);

/// Why not even the smallest allowed point fits; empty when something does.
std::string why_nothing_fits(const Problem& problem, const Constraints& constraints);

}  // namespace bta
