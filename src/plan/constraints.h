// What a user or the vendor's software allows besides memory.
// Vendor's batch rules (docs/model.md, "Search"): batch_size is global; per_system = ceil(batch_size/wafers);
// every wafer gets at least one sequence; a micro-batch must be ceil(per_system/n) for some whole n >= 1; a
// tile must divide the micro-batch (it always does) and, when it is smaller than it, the global batch too.
#pragma once

#include <cstdint>
#include <optional>

#include "cost/workload.h"

namespace bta {

struct Constraints {
  std::optional<std::int64_t> max_tile;         // B <= max_tile when tiled; a uniform batch is no tile
  std::optional<std::int64_t> max_micro_batch;  // N <= max_micro_batch
  std::optional<std::int64_t> global_batch;     // sequences of all wafers in one optimizer step
};

bool allows_micro_batch(const Constraints& constraints, std::int64_t wafers, std::int64_t sequences);
bool allows(const Constraints& constraints, std::int64_t wafers, Tiling tiling);

/// Share of the sequences of all micro-steps that the global batch really has: batch / (wafers * N *
/// ceil(per_system/N)); 1 without a global batch.
double filled_fraction(const Constraints& constraints, std::int64_t wafers, std::int64_t sequences);

/// The largest micro-batch the constraints allow, if they bound it.
std::optional<std::int64_t> largest_micro_batch(const Constraints& constraints, std::int64_t wafers);

}  // namespace bta
