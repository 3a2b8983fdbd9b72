#include "cli/measured_runs.h"

#include <stdexcept>

namespace bta::cli {

Run run_of(const MeasuredRun& measured, const Workload& asked) {
  Workload workload = asked;
  workload.seq_len = measured.seq_len.value_or(asked.seq_len);
  workload.wafers = measured.wafers;
  const Tiling tiling{measured.micro_batch / measured.tiles, measured.tiles};
  Run run =
      make_run(measured.name, make_problem(measured.model, measured.wafer, workload), tiling, measured.batch);
  run.measured = measured.tokens_per_s;
  if (!run.measured && measured.samples_per_s)
    run.measured = *measured.samples_per_s * as_double(workload.seq_len);
  run.largest_batch = measured.largest_batch;
  run.fitted = measured.fitted;
  return run;
}

Diagnostics add_runs(CalibrationRequest& request, const MeasuredRuns& measured, const Workload& workload,
                     const std::string& file) {
  request.source = measured.name;
  request.source_hash = measured.content_hash;
  Diagnostics errors;
  for (const MeasuredRun& run : measured.runs) {
    try {
      request.runs.push_back(run_of(run, workload));
    } catch (const std::overflow_error&) {
      errors.push_back({file, run.line, 0, "batch", "this run is too large: its counts exceed 64 bits"});
    }
  }
  return errors;
}

}  // namespace bta::cli
