#include "calibrate/run.h"

namespace bta {

Run make_run(std::string name, Problem problem, Tiling tiling) {
  std::vector<LayerLoads> loads = expected_loads(problem, micro_batch(tiling).value);
  return {std::move(name), std::move(problem), tiling, std::move(loads)};
}

double predicted(const Run& run, const Wafer& wafer) {
  Problem problem = run.problem;
  problem.wafer = wafer;
  return tokens_per_s(problem, micro_batch(run.tiling).value,
                      step_time(problem, run.tiling, run.loads).seconds);
}

}  // namespace bta
