// Shapes alone at full size: the schedule, the arena and the counters without data, at the planned (B, G),
// where memory is nearly full, and one step beyond, where it is not enough.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cost/problem.h"
#include "executor/execute.h"
#include "verify/check.h"

namespace bta::verify {

struct FullSizePoint {
  Tiling tiling;
  std::string standing;  // "planned", "one tile beyond the memory limit", "as asked"
};
/// The planned point, if anything is feasible, and the first infeasible number of tiles of that size; with
/// fewer tiles where there are too many to walk through, none where the experts alone are too many.
std::vector<FullSizePoint> full_size_points(const Problem& problem);

inline constexpr std::string_view full_size_claim =
    "FLOPs, bytes and memory at full size equal the closed forms";
inline constexpr std::string_view full_size_time_claim = "phase times at full size equal the closed form";

/// One run, made when it is first needed.
class FullSizeRun {
 public:
  FullSizeRun(Problem problem, FullSizePoint point)
      : problem_(std::move(problem)), point_(std::move(point)) {}

  /// FLOPs, streamed bytes, memory tensor by tensor.
  Check counts();
  /// Phase times at several stream overlaps, with uneven row loads.
  Check times();

 private:
  const executor::Measured& measured();
  std::string about() const;

  Problem problem_;
  FullSizePoint point_;
  std::optional<executor::Measured> measured_;
};

/// Throws std::invalid_argument for more tiles, experts and chunks than a few seconds allow.
void refuse_endless_runs(const Problem& problem, Tiling tiling);

}  // namespace bta::verify
