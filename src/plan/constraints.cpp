#include "plan/constraints.h"

#include <algorithm>

namespace bta {
namespace {

std::int64_t per_system(std::int64_t global_batch, std::int64_t wafers) {
  return ceil_div(global_batch, wafers);
}

bool is_vendor_micro_batch(std::int64_t per_system, std::int64_t sequences) {
  if (sequences > per_system) return false;
  return ceil_div(per_system, ceil_div(per_system, sequences)) == sequences;
}

}  // namespace

bool allows_micro_batch(const Constraints& constraints, std::int64_t wafers, std::int64_t sequences) {
  if (constraints.max_micro_batch && sequences > *constraints.max_micro_batch) return false;
  if (!constraints.global_batch) return true;
  return *constraints.global_batch >= wafers &&
         is_vendor_micro_batch(per_system(*constraints.global_batch, wafers), sequences);
}

double filled_fraction(const Constraints& constraints, std::int64_t wafers, std::int64_t sequences) {
  if (!constraints.global_batch) return 1;
  const std::int64_t steps = ceil_div(per_system(*constraints.global_batch, wafers), sequences);
  return as_double(*constraints.global_batch) / as_double(product(wafers, sequences, steps));
}

bool allows(const Constraints& constraints, std::int64_t wafers, Tiling tiling) {
  const bool tiled = tiling.tiles > 1;
  if (constraints.max_tile && tiled && tiling.tile_batch > *constraints.max_tile) return false;
  if (constraints.global_batch && tiled && *constraints.global_batch % tiling.tile_batch != 0) return false;
  return allows_micro_batch(constraints, wafers, micro_batch(tiling).value);
}

std::optional<std::int64_t> largest_micro_batch(const Constraints& constraints, std::int64_t wafers) {
  std::optional<std::int64_t> largest = constraints.max_micro_batch;
  if (constraints.global_batch) {
    const std::int64_t most = per_system(*constraints.global_batch, wafers);
    largest = std::min(largest.value_or(most), most);
  }
  return largest;
}

}  // namespace bta
