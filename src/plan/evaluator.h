// What one search has worked out already, remembered: every value is a pure function of the problem.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cost/memory.h"
#include "cost/step_time.h"
#include "plan/search.h"

namespace bta {

/// Largest n in [1, high] with holds(n), 0 when none; holds is true up to some n and false beyond. Gallops
/// from `hint`.
template <class Predicate>
std::int64_t last_that(std::int64_t high, std::int64_t hint, Predicate holds) {
  std::int64_t known = 0, fails = high + 1, stride = 1;  // holds(known) or known is 0; fails is beyond
  for (std::int64_t n = std::clamp<std::int64_t>(hint, 1, high); known < n && n < fails; stride *= 2) {
    const bool rising = holds(n);
    (rising ? known : fails) = n;
    n = rising ? std::min(known + stride, fails) : std::max(known, fails - stride);
  }
  while (fails - known > 1) {
    const std::int64_t middle = known + (fails - known) / 2;
    (holds(middle) ? known : fails) = middle;
  }
  return known;
}

class Evaluator {
 public:
  explicit Evaluator(const Problem& problem) : problem_(problem), limit_(memory_limit(problem.wafer)) {}

  const Problem& problem() const { return problem_; }
  std::int64_t micro_batches() const { return static_cast<std::int64_t>(batch_seconds_.size()); }

  /// Seconds of the phases that depend on N only.
  double batch_seconds(std::int64_t sequences);

  /// Never more than batch_seconds(N): experts at their mean row load, everything unpadded, moves and
  /// checkpoint Y left out. Convex in N with a non-negative intercept; needs no binomial.
  double least_batch_seconds(std::int64_t sequences) const;

  /// Seconds of the tiled phases when the tiles of each kind of layer take `all_tiles` together.
  double tiled_seconds(const std::vector<TileWork>& all_tiles, std::int64_t sequences) const;

  /// One tile of each kind of layer.
  const std::vector<TileWork>& tile(std::int64_t tile_batch);

  bool tile_fits(std::int64_t tile_batch, std::int64_t sequences) const {
    return tile_memory(problem_, tile_batch, sequences) <= limit_;
  }

  /// The largest tile whose tiled phases fit when the concatenated tensors hold `sequences`; 0 when none
  /// does.
  std::int64_t largest_tile_beside(std::int64_t sequences);

  Bytes peak(Tiling tiling);
  bool fits(Tiling tiling);
  Candidate candidate(Tiling tiling, const Constraints& constraints);

 private:
  const Problem& problem_;
  Bytes limit_;
  std::unordered_map<std::int64_t, double> batch_seconds_;
  std::unordered_map<std::int64_t, std::vector<TileWork>> tiles_;
  std::unordered_map<std::int64_t, std::vector<std::int64_t>> capacities_;
  std::unordered_map<std::int64_t, std::int64_t> largest_tiles_;
  std::int64_t hint_ = 1;  // the largest tile of a neighbour
};

}  // namespace bta
