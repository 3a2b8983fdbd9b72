// How well the rows determine the fitted values, by the linearised fit at its optimum.
//   J[row][i] = d ln(predicted)/d u_i        central differences, one-sided at an end of the range
//   s^2       = sum of squares / (rows - values)
//   covariance = s^2 (J'J)^+                 of the values not at an end; ^+ leaves out what no row notices
//   interval  = u +- t*standard error        t: Student's t with rows - values degrees of freedom, cut at
//   the range
//
// A value is not identified when no row depends on it (|J| below 1e-6 over the whole range), or when only a
// combination with others matters (a singular value of J, its columns scaled by the range, is below 1e-6 of
// the largest).
//
// Source: docs/model.md, "Calibration".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/free_parameter.h"
#include "calibrate/run.h"

namespace bta {

enum class Standing : std::uint8_t { identified, at_an_end, no_effect, only_together };

struct Estimate {
  FreeParameter free;
  double u = 0;  // the fitted coordinate
  Standing standing = Standing::identified;
  std::optional<double> standard_error;  // of u; absent unless identified and there are rows to spare
  std::optional<double> low, high;       // of the value
  std::string note;                      // plain words when there is no interval, or one that says little

  double value() const { return free.value(u); }
};

struct Uncertainty {
  std::vector<Estimate> estimates;
  std::vector<std::vector<double>> correlation;  // of the estimates; 0 where there is no standard error
  std::int64_t degrees_of_freedom = 0;
  std::optional<double> scatter;  // s
};

/// `confidence` of the intervals, in (0, 1). The runs that were fitted, and what least_squares() gave.
Uncertainty uncertainty(const std::vector<Run>& runs, const std::vector<FreeParameter>& free,
                        const std::vector<double>& u, double confidence);

/// Of a matrix of correlations, which has no negative ones (so it is the least singular value). Not empty.
double least_eigenvalue(const std::vector<std::vector<double>>& correlation);

}  // namespace bta
