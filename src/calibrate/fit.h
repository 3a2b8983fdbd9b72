// Least squares of ln(predicted/measured) over the free parameters, by Eigen's Levenberg-Marquardt (MINPACK's
// lmdif; the project has Eigen already, and a least-squares method gives the derivatives that the confidence
// intervals need).
// Bounds: u = least + (most - least)*(1 + sin z)/2, z unbounded. The model has kinks (maxima), so the fit
// starts from the file's own values and from `starts` points of a Sobol sequence, and the best one is kept:
// same rows, same result. Source: docs/model.md, "Calibration".
#pragma once

#include <vector>

#include "calibrate/free_parameter.h"
#include "calibrate/run.h"

namespace bta {

/// Runs that are fitted, in order, without the texts of their descriptions.
std::vector<Run> fitted_runs(const std::vector<Run>& runs);

/// ln(predicted/measured) of every run.
std::vector<double> residuals(const std::vector<Run>& runs, const std::vector<FreeParameter>& free,
                              const std::vector<double>& u);

double sum_of_squares(const std::vector<double>& residuals);

/// The best u. Needs at least as many runs as free parameters, each with a measured throughput.
std::vector<double> least_squares(const std::vector<Run>& runs, const std::vector<FreeParameter>& free,
                                  std::size_t starts = 64);

}  // namespace bta
