// How sure a plan is, given how sure its wafer's calibrated numbers are: everything evaluated again on wafers
// drawn from the calibration (calibrate/sample.h), the points (B, G) as planned.
//   interval   the quantiles (1 -+ confidence)/2 over the draws
//   flip       one of the first 200 draws in which another (B, G) is faster than the planned one by more than
//   flip_margin
// Only what the calibration fitted is varied; how far a single run scatters about the fit comes on top.
// Source: docs/model.md, "Confidence".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace bta {

inline constexpr std::size_t confidence_samples = 2047;
inline constexpr std::size_t searched_samples = 200;  // of these, in which the search runs again
inline constexpr double flip_margin = 0.01;

/// Why no interval can be given for this wafer; empty when one can.
std::string why_not_sure(const Wafer& wafer);

/// Fills `confidence` of every feasible row and of the plan. Needs an empty why_not_sure().
void add_confidence(Plan& plan, double confidence);

}  // namespace bta
