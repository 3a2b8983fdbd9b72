// `--free gemm=attention,score_heads`, `--separate LIST` and `--confidence [P]`: what a calibration fits.
#pragma once

#include "calibrate/calibrate.h"
#include "cli/option_reader.h"

namespace bta::cli {

/// Without runs. What is wrong with a name is told with the nearest one that can be fitted.
CalibrationRequest read_calibration_request(OptionReader& reader);

}  // namespace bta::cli
