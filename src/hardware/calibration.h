// How well measured runs determine the calibrated numbers of a wafer: the standard errors and correlations of
// a least-squares fit of ln(predicted/measured). Written by `calibrate`, read by whatever states confidence.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bta {

/// One fitted value. Several numbers may share it: "gemm=attention".
struct CalibratedValue {
  std::string name;           // parameter names joined by '=', see find_parameters()
  double standard_error = 0;  // of the coordinate: of ln x for a ratio, of x for a share or a time
};

struct CalibrationRecord {
  std::string rows;                     // the runs that were fitted, in words
  std::int64_t degrees_of_freedom = 1;  // runs minus fitted values, >= 1
  double scatter = 0;  // sqrt(sum of squares / degrees of freedom), of ln(predicted/measured)
  std::vector<CalibratedValue> values;
  std::vector<std::vector<double>> correlation;  // of the values, symmetric, 1 on the diagonal
};

}  // namespace bta
