// What a calibration found: every row with its residual and leave-one-out error, every fitted value with
// its interval, and how well it all fits. CSV has the rows; JSON has everything.
#pragma once

#include <string>

#include "calibrate/calibrate.h"
#include "report/format.h"

namespace bta {

/// The request is not empty.
std::string write_calibration(const CalibrationRequest& request, const Calibration& calibration,
                              Format format);

}  // namespace bta
