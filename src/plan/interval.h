// What a plan says about how sure it is; filled by plan/confidence.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cost/workload.h"

namespace bta {

struct Interval {
  double low = 0;
  double high = 0;
};

struct RowConfidence {
  Interval tokens_per_s;  // of the planned (B, G)
  std::optional<Interval> uniform_tokens_per_s, speedup, dense_tokens_per_s, loss_uniform, loss_bta;
  double flips = 0;  // share of the draws in which another (B, G) is faster by more than the margin
  std::optional<Tiling> rival;  // the one that is best in most of those
};

/// Two levels of which the slower is the faster one in a share of the draws.
struct OrderFlip {
  std::size_t faster = 0, slower = 0;  // rows
  double share = 0;
};

struct PlanConfidence {
  double confidence = 0;  // of the intervals
  std::int64_t samples = 0;
  std::vector<OrderFlip> order;  // pairs of rows whose order is not sure
};

}  // namespace bta
