// What tokens/s owe to each number of a wafer, in every format. CSV holds one row per number, JSON
// everything; people get the numbers that have an effect as a table, and in words which one to improve and
// which to measure next.
#pragma once

#include <string>

#include "plan/sensitivity.h"
#include "report/format.h"

namespace bta {

std::string write_sensitivity(const Sensitivity& sensitivity, Format format);

}  // namespace bta
