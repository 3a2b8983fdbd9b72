// The whole calibration: fit, residuals, leave-one-out, uncertainty.
//   leave-one-out error of a row: what the fit to the other rows predicts for it, against its measurement.
//   error = predicted/measured - 1
// Source: docs/model.md, "Calibration".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/resident.h"
#include "calibrate/uncertainty.h"

namespace bta {

struct CalibrationRequest {
  std::vector<Run> runs;
  std::vector<Freedom> freedoms;                 // of time
  std::vector<const WaferParameter*> of_memory;  // see resident.h
  double confidence = 0.9;
  std::string source;       // what the runs were read from, without its folder
  std::string source_hash;  // of its content
};

/// What became of one row.
struct RowResult {
  double predicted = 0;            // tokens/s
  std::optional<double> error;     // absent without a measured throughput
  bool fits = false;               // its micro-batch, by the model's own memory limit
  std::int64_t largest_batch = 0;  // the largest uniform one that does
  std::optional<double> left_out;  // leave-one-out error; absent when the others cannot be fitted
};

/// Over the fitted rows.
struct ErrorSummary {
  double mean = 0;   // of |error|
  double worst = 0;  // largest |error|
};

struct Calibration {
  std::vector<RowResult> rows;  // one for every run
  Uncertainty fit;
  ResidentFit resident;
  ErrorSummary residual;
  std::optional<ErrorSummary> left_out;
  std::vector<Wafer> wafers;  // each hardware of the runs, with the fitted values and the record of the fit
};

/// Why the request cannot be calibrated; empty when it can. Memory alone needs no throughput.
std::string why_not(const CalibrationRequest& request);

/// Needs an empty why_not().
Calibration calibrate(const CalibrationRequest& request);

}  // namespace bta
