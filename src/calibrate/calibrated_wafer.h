// The hardware of the runs with the fitted values in place: rounded to four digits, marked `calibrated` with
// the runs they came from, and with the record of how sure they are. What no row depends on stays as it was.
#pragma once

#include <vector>

#include "calibrate/resident.h"
#include "calibrate/uncertainty.h"

namespace bta {

/// One for every hardware of `runs`, in order of appearance; `fitted` are those that decided.
std::vector<Wafer> calibrated_wafers(const std::vector<Run>& runs, const std::vector<Run>& fitted,
                                     const Uncertainty& fit, const ResidentFit& resident);

}  // namespace bta
