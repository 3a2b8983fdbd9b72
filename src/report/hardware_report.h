// One hardware description in full: every number with its kind and source.
#pragma once

#include <string>

#include "hardware/wafer.h"
#include "report/format.h"

namespace bta {

std::string write_wafer(const Wafer& wafer, Format format);

}  // namespace bta
