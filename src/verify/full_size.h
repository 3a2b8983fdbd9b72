// Shapes alone at full size: the schedule, the arena and the counters without data, at the planned (B, G),
// where memory is nearly full, and one step beyond, where it is not enough.
#pragma once

#include <vector>

#include "cost/problem.h"
#include "verify/check.h"

namespace bta::verify {

struct FullSizePoint {
  Tiling tiling;
  std::string standing;  // "planned", "one tile beyond the memory limit", "as asked"
};
/// The planned point, if anything is feasible, and the first infeasible number of tiles of that size.
std::vector<FullSizePoint> full_size_points(const Problem& problem);

inline constexpr std::string_view full_size_claim =
    "FLOPs, bytes and memory at full size equal the closed forms";
inline constexpr std::string_view full_size_time_claim = "phase times at full size equal the closed form";

/// FLOPs, streamed bytes, memory tensor by tensor, routed tokens.
Check check_full_size_counts(const Problem& problem, const FullSizePoint& point);
/// Phase times at stream overlap 0 and 1, with uneven row loads.
Check check_full_size_times(const Problem& problem, const FullSizePoint& point);

}  // namespace bta::verify
