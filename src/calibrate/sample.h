// Wafers as they may really be, drawn from the standing of a calibration:
//   u = u_fit + standard_error * (L z) / sqrt(w)     L L' = correlation, z standard normal,
//                                                    w = chi-squared(nu)/nu: together Student's t, nu degrees
// brought into each parameter's range. Points of a Sobol sequence instead of random numbers: always the same,
// and even. What has no standard error, or is no longer what the calibration gave, stays as it is.
//
// Source: docs/model.md, "Confidence".
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "hardware/wafer.h"

namespace bta {

/// Keys of the numbers that samples differ in: those with a standard error that are still calibrated.
std::vector<std::string_view> drawn_parameters(const Wafer& wafer);

/// Empty when the wafer has no record of a calibration, or its correlations are none (not positive definite).
std::vector<Wafer> sample_wafers(const Wafer& wafer, std::size_t count);

}  // namespace bta
