// One point in every format. CSV holds the operators; JSON everything.
#pragma once

#include <string>

#include "plan/explain.h"
#include "report/format.h"

namespace bta {

std::string write_explanation(const Explanation& explanation, Format format);

}  // namespace bta
