// Records made by hand, so that goldens show the writers and nothing else: round numbers, one infeasible
// row, names that need quoting, absent values.
#pragma once

#include "plan/explain.h"
#include "plan/plan.h"
#include "verify/verify.h"

namespace bta::golden {

Model sample_model();
Wafer sample_wafer();
Plan sample_plan();
Plan infeasible_plan();
Explanation sample_explanation(Tiling tiling);
verify::Request sample_request();
/// Checks that hold and checks that fail in every way: beyond tolerance, not finite, nothing compared.
verify::Verification sample_verification();

}  // namespace bta::golden
