#include "verify/full_size.h"

#include <fmt/format.h>

#include "executor/load_source.h"
#include "plan/evaluator.h"
#include "plan/search.h"
#include "verify/counts.h"
#include "verify/setup.h"
#include "verify/timing.h"

namespace bta::verify {
namespace {

constexpr std::int64_t most_tiles = std::int64_t{1} << 30;

executor::Measured run_shapes(const executor::Config& config) {
  return executor::execute_shapes(config, executor::ragged_loads(config));
}

std::string about(const Problem& problem, const FullSizePoint& point) {
  return fmt::format("{}, {}", describe(problem, point.tiling), point.standing);
}

}  // namespace

std::vector<FullSizePoint> full_size_points(const Problem& problem) {
  std::vector<FullSizePoint> points;
  const SearchResult result = search(problem, {});
  Tiling tiling{1, 1};
  if (!result.best.empty()) {
    tiling = result.best.front().tiling;
    points.push_back({tiling, "planned"});
  }
  const Bytes limit = memory_limit(problem.wafer);
  const std::int64_t fit = last_that(most_tiles, tiling.tiles, [&](std::int64_t tiles) {
    return peak_memory(problem, {tiling.tile_batch, tiles}).bytes <= limit;
  });
  points.push_back({{tiling.tile_batch, fit + 1}, "one tile beyond the memory limit"});
  return points;
}

Check check_full_size_counts(const Problem& problem, const FullSizePoint& point) {
  Comparison comparison(std::string(full_size_claim), about(problem, point), Measure::exact, 0);
  const executor::Config config = executor_config(problem, point.tiling);
  const executor::Measured measured = run_shapes(config);
  const Counted run{problem, config, measured};
  compare_flops(comparison, run);
  compare_traffic(comparison, run);
  compare_memory(comparison, run);
  compare_loads(comparison, run);
  const bool fits = measured.peak <= memory_limit(problem.wafer);
  comparison.same("it fits as the plan says",
                  fits == (peak_memory(problem, point.tiling).bytes <= memory_limit(problem.wafer)));
  return std::move(comparison).result();
}

Check check_full_size_times(const Problem& problem, const FullSizePoint& point) {
  Comparison comparison(std::string(full_size_time_claim), about(problem, point), Measure::relative, 1e-9);
  const executor::Config config = executor_config(problem, point.tiling);
  compare_phase_times(comparison, problem, point.tiling, run_shapes(config));
  return std::move(comparison).result();
}

}  // namespace bta::verify
