#include "verify/full_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "executor/load_source.h"
#include "plan/evaluator.h"
#include "plan/search.h"
#include "verify/counts.h"
#include "verify/setup.h"
#include "verify/timing.h"

namespace bta::verify {
namespace {

constexpr std::int64_t most_tiles = std::int64_t{1} << 30;
constexpr std::int64_t most_parts = 2'000'000;

/// Tiles, experts and chunks of a step: what a run of shapes walks through.
std::int64_t parts_of(const Problem& problem, Tiling tiling) {
  std::int64_t parts = micro_batch_tokens(tiling, problem.workload.seq_len).value / problem.head_chunk;
  for (const ProblemLayer& layer : problem.layers) {
    const auto* moe = std::get_if<MoeMlp>(&layer.layer.feed_forward);
    const std::int64_t in_layer =
        checked_add(checked_mul(tiling.tiles, 4), moe == nullptr ? 0 : 2 * moe->experts);
    parts = checked_add(parts, product(layer.count, in_layer));
  }
  return parts;
}

/// With fewer tiles when there are too many to walk through.
FullSizePoint shortened(const Problem& problem, FullSizePoint point) {
  if (parts_of(problem, point.tiling) <= most_parts) return point;
  point.tiling.tiles = last_that(point.tiling.tiles, 1, [&](std::int64_t tiles) {
    return parts_of(problem, {point.tiling.tile_batch, tiles}) <= most_parts;
  });
  point.tiling.tiles = std::max<std::int64_t>(1, point.tiling.tiles);
  point.standing = "fewer tiles than " + point.standing;
  return point;
}

}  // namespace

std::vector<FullSizePoint> full_size_points(const Problem& problem) {
  if (parts_of(problem, {1, 1}) > most_parts) return {};
  const SearchResult result = search(problem, {});
  if (result.best.empty()) return {{{1, 1}, "beyond the memory limit: nothing fits"}};
  const Tiling planned = result.best.front().tiling;
  const Bytes limit = memory_limit(problem.wafer);
  const std::int64_t fit = last_that(most_tiles, planned.tiles, [&](std::int64_t tiles) {
    return peak_memory(problem, {planned.tile_batch, tiles}).bytes <= limit;
  });
  return {shortened(problem, {planned, "planned"}),
          shortened(problem, {{planned.tile_batch, fit + 1}, "one tile beyond the memory limit"})};
}

std::string FullSizeRun::about() const {
  return fmt::format("{}, {}", describe(problem_, point_.tiling), point_.standing);
}

const executor::Measured& FullSizeRun::measured() {
  if (!measured_) {
    const executor::Config config = executor_config(problem_, point_.tiling);
    measured_ = executor::execute_shapes(config, executor::ragged_loads(config));
  }
  return *measured_;
}

Check FullSizeRun::counts() {
  Comparison comparison(std::string(full_size_claim), about(), Measure::exact, 0);
  const executor::Config config = executor_config(problem_, point_.tiling);
  const Counted run{problem_, config, measured()};
  compare_flops(comparison, run);
  compare_traffic(comparison, run);
  compare_memory(comparison, run);
  return std::move(comparison).result();
}

Check FullSizeRun::times() {
  Comparison comparison(std::string(full_size_time_claim), about(), Measure::relative, time_tolerance);
  compare_phase_times(comparison, problem_, point_.tiling, measured());
  return std::move(comparison).result();
}

void refuse_endless_runs(const Problem& problem, Tiling tiling) {
  const std::int64_t parts = parts_of(problem, tiling);
  if (parts > most_parts)
    throw std::invalid_argument(
        fmt::format("B {}, G {} has {} tiles, experts and chunks of the head; at most {} are walked through",
                    tiling.tile_batch, tiling.tiles, parts, most_parts));
}

}  // namespace bta::verify
