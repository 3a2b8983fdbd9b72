#include "plan/infeasible.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "cost/memory.h"

namespace bta {
namespace {

std::string gigabytes(Bytes bytes) { return fmt::format("{:.3f} GB", as_double(bytes) / 1e9); }

bool fits(const Problem& problem, Tiling tiling) {
  return peak_memory(problem, tiling).bytes <= memory_limit(problem.wafer);
}

std::int64_t largest_fitting(const Problem& problem, std::int64_t below, bool vary_tile, std::int64_t other) {
  std::int64_t low = 0, high = below;  // low fits (or is 0), high does not
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits(problem, vary_tile ? Tiling{middle, other} : Tiling{other, middle}) ? low : high) = middle;
  }
  return low;
}

std::string remedy(const Problem& problem, Tiling tiling, Bytes peak) {
  if (const std::int64_t tiles = largest_fitting(problem, tiling.tiles, false, tiling.tile_batch); tiles > 0)
    return fmt::format("fits with -B {} -G {}", tiling.tile_batch, tiles);
  if (const std::int64_t batch = largest_fitting(problem, tiling.tile_batch, true, tiling.tiles); batch > 0)
    return fmt::format("fits with -B {} -G {}", batch, tiling.tiles);
  if (fits(problem, {1, 1})) return "fits with -B 1 -G 1";
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
  if (constraints.max_tile && tiling.tile_batch > *constraints.max_tile)
    return fmt::format("tile {} exceeds --max-tile {}", tiling.tile_batch, *constraints.max_tile);
  const std::int64_t sequences = micro_batch(tiling).value;
  if (constraints.max_micro_batch && sequences > *constraints.max_micro_batch)
    return fmt::format("micro-batch {} exceeds --max-micro-batch {}", sequences, *constraints.max_micro_batch);
  if (!allows_micro_batch(constraints, wafers, sequences))
    return fmt::format("micro-batch {} is not ceil({}/n) for any n: --global-batch {} on {} wafers", sequences,
                       ceil_div(*constraints.global_batch, wafers), *constraints.global_batch, wafers);
  if (!allows(constraints, wafers, tiling))
    return fmt::format("tile {} does not divide --global-batch {}", tiling.tile_batch, *constraints.global_batch);
  return {};
}

}  // namespace

std::string why_infeasible(const Problem& problem, const Constraints& constraints, Tiling tiling) {
  if (std::string text = why_not_allowed(constraints, problem.workload.wafers, tiling); !text.empty()) return text;
  const Peak peak = peak_memory(problem, tiling);
  const Bytes limit = memory_limit(problem.wafer);
  if (peak.bytes <= limit) return {};
  const Tensor& largest = *std::ranges::max_element(peak.tensors, {}, &Tensor::bytes);
  return fmt::format("B={} G={}: {} needs {} of {}, {} too much; largest: {}, {}; {}", tiling.tile_batch,
                     tiling.tiles, memory_phase_name(peak.phase), gigabytes(peak.bytes), gigabytes(limit),
                     gigabytes(peak.bytes - limit), largest.name, gigabytes(largest.bytes),
                     remedy(problem, tiling, peak.bytes));
}

std::string why_nothing_fits(const Problem& problem, const Constraints& constraints) {
  if (!fits(problem, {1, 1})) return why_infeasible(problem, {}, {1, 1});
  if (constraints.global_batch && *constraints.global_batch < problem.workload.wafers)
    return fmt::format("--global-batch {} is less than the {} wafers; each needs at least one sequence",
                       *constraints.global_batch, problem.workload.wafers);
  return "the smallest micro-batch fits, but none that fits is allowed by --global-batch, --max-tile and "
         "--max-micro-batch together";
}

}  // namespace bta
