// The optional section `calibration` of a wafer's YAML, as `calibrate` writes it:
//   rows                 the runs that were fitted, in words
//   degrees_of_freedom   >= 1
//   scatter              standard deviation of ln(predicted/measured) about the fit
//   standard_error       {NAME: s, ...}, NAME a parameter or several that share a value: gemm=attention;
//                        efficiencies only, each named once
//   correlation          {NAME: {OTHER: r, ...}, ...}, absent pairs are 0
#pragma once

#include <optional>

#include "hardware/calibration.h"
#include "input/reader.h"

namespace bta {

/// Absent when the section is.
std::optional<CalibrationRecord> read_calibration(Reader& hardware);

}  // namespace bta
