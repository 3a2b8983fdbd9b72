#include "calibrate/run.h"

namespace bta {

Run make_run(std::string name, Problem problem, Tiling tiling, std::optional<std::int64_t> batch) {
  std::vector<LayerLoads> loads = expected_loads(problem, micro_batch(tiling).value);
  const std::int64_t full = checked_mul(problem.workload.wafers, micro_batch(tiling).value);
  return {std::move(name), std::move(problem), tiling, batch.value_or(full), std::move(loads)};
}

double predicted(const Run& run, const Wafer& wafer) {
  Problem problem = run.problem;
  problem.wafer = wafer;
  const std::int64_t per_wafer = ceil_div(run.batch, problem.workload.wafers);
  const std::int64_t steps = ceil_div(per_wafer, micro_batch(run.tiling).value);
  const double step_s = step_time(problem, run.tiling, run.loads).seconds;
  return as_double(run.batch) * as_double(problem.workload.seq_len) / (as_double(steps) * step_s);
}

}  // namespace bta
