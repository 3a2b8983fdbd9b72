// Rows of a CSV of measured runs as the cost model sees them: `input` does not know it, `calibrate` no files.
#pragma once

#include "calibrate/calibrate.h"
#include "input/measured_csv.h"

namespace bta::cli {

/// `asked`: what all runs have in common; its length is that of runs that state none.
Run run_of(const MeasuredRun& measured, const Workload& asked);

/// The runs of the file, and where they came from; a row that is too large to be counted in 64 bits is told.
Diagnostics add_runs(CalibrationRequest& request, const MeasuredRuns& measured, const Workload& workload,
                     const std::string& file);

}  // namespace bta::cli
