// A plan in every format. Pure: a record in, text out.
#pragma once

#include <string>

#include "plan/plan.h"
#include "report/format.h"

namespace bta {

std::string write_plan(const Plan& plan, Format format);

}  // namespace bta
