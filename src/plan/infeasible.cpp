#include "plan/infeasible.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cost/memory.h"

namespace bta {
namespace {

std::string gigabytes(Bytes bytes) {
  return fmt::format("{:.3f} GB", as_double(bytes) / 1e9);
}

bool fits(const Problem& problem, Tiling tiling) {
  return peak_memory(problem, tiling).bytes <= memory_limit(problem.wafer);
}

bool fits_and_is_allowed(const Problem& problem, const Constraints& constraints, Tiling tiling) {
  return allows(constraints, problem.workload.wafers, tiling) && fits(problem, tiling);
}

/// The largest n below `below` whose point fits and is allowed, 0 when none; fitting is monotone, being
/// allowed is not.
template <class PointOf>
std::int64_t largest_below(const Problem& problem, const Constraints& constraints, std::int64_t below,
                           PointOf point_of) {
  std::int64_t low = 0, high = below;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits(problem, point_of(middle)) ? low : high) = middle;
  }
  while (low > 0 && !allows(constraints, problem.workload.wafers, point_of(low))) --low;
  return low;
}

std::string remedy(const Problem& problem, const Constraints& constraints, Tiling tiling, Bytes peak) {
  const auto fewer_tiles = [&](std::int64_t g) { return Tiling{tiling.tile_batch, g}; };
  const auto smaller_tile = [&](std::int64_t b) { return Tiling{b, tiling.tiles}; };
  if (const std::int64_t g = largest_below(problem, constraints, tiling.tiles, fewer_tiles); g > 0)
    return fmt::format("fits with -B {} -G {}", tiling.tile_batch, g);
  if (const std::int64_t b = largest_below(problem, constraints, tiling.tile_batch, smaller_tile); b > 0)
    return fmt::format("fits with -B {} -G {}", b, tiling.tiles);
  if (fits_and_is_allowed(problem, constraints, {1, 1})) return "fits with -B 1 -G 1";
  if (fits(problem, {1, 1})) return "-B 1 -G 1 fits, but the constraints forbid it";
  const std::int64_t cores = product(problem.wafer.rows, problem.wafer.columns);
  const double usable = 1 - problem.wafer.reserved_fraction;
  const double needed = as_double(peak) / as_double(cores) / usable;
  std::string text = fmt::format("would fit with {:.0f} bytes of SRAM per core", std::ceil(needed));
  Problem blocked = problem;
  blocked.workload.kernel = AttentionKernel::blocked;
  if (problem.workload.kernel == AttentionKernel::materialized && fits(blocked, tiling))
    text += ", or with --attention blocked";
  return text;
}

std::string why_not_allowed(const Constraints& constraints, std::int64_t wafers, Tiling tiling) {
  if (constraints.global_batch && *constraints.global_batch < wafers)
    return fmt::format("--global-batch {} is less than the {} wafers; each needs at least one sequence",
                       *constraints.global_batch, wafers);
  if (constraints.max_tile && tiling.tiles > 1 && tiling.tile_batch > *constraints.max_tile)
    return fmt::format("tile {} exceeds --max-tile {}", tiling.tile_batch, *constraints.max_tile);
  const std::int64_t sequences = micro_batch(tiling).value;
  if (constraints.max_micro_batch && sequences > *constraints.max_micro_batch)
    return fmt::format("micro-batch {} exceeds --max-micro-batch {}", sequences,
                       *constraints.max_micro_batch);
  if (!allows_micro_batch(constraints, wafers, sequences))
    return fmt::format("micro-batch {} is not ceil({}/n) for any n: --global-batch {} on {} wafers",
                       sequences, ceil_div(*constraints.global_batch, wafers), *constraints.global_batch,
                       wafers);
  if (!allows(constraints, wafers, tiling))
    return fmt::format("tile {} does not divide --global-batch {}", tiling.tile_batch,
                       *constraints.global_batch);
  return {};
}

}  // namespace

std::string why_infeasible(const Problem& problem, const Constraints& constraints, Tiling tiling) {
  if (std::string text = why_not_allowed(constraints, problem.workload.wafers, tiling); !text.empty())
    return text;
  const Peak peak = peak_memory(problem, tiling);
  const Bytes limit = memory_limit(problem.wafer);
  if (peak.bytes <= limit) return {};
  const Tensor& largest = *std::ranges::max_element(peak.tensors, {}, &Tensor::bytes);
  return fmt::format("B={} G={}: {} needs {} of {}, {} too much; largest: {}, {}; {}", tiling.tile_batch,
                     tiling.tiles, memory_phase_name(peak.phase), gigabytes(peak.bytes), gigabytes(limit),
                     gigabytes(peak.bytes - limit), largest.name, gigabytes(largest.bytes),
                     remedy(problem, constraints, tiling, peak.bytes));
}

std::string why_nothing_fits(const Problem& problem, const Constraints& constraints) {
  if (!fits(problem, {1, 1})) return why_infeasible(problem, {}, {1, 1});
  if (std::string text = why_not_allowed(constraints, problem.workload.wafers, {1, 1}); !text.empty())
    return text;
  return "the smallest micro-batch fits, but none that fits is allowed by --global-batch, --max-tile and "
         "--max-micro-batch together";
}

}  // namespace bta
