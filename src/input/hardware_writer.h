// A wafer as YAML, such that reading it gives the wafer back: every number as it was written, with its
// standing, and the record of its calibration. Comments of the file it came from are not kept.
#pragma once

#include <string>

#include "hardware/wafer.h"

namespace bta {

std::string write_wafer_yaml(const Wafer& wafer);

}  // namespace bta
