// Probability p_e that a token picks expert e; sum p_e = k.
//   balanced  p_e = k/E
//   zipf:A    p_e = min(1, c/e^A), c from sum p_e = k
//   measured  p_e = min(1, c*count_e), c from sum p_e = k: count_e*k/sum count unless that exceeds 1
// An expert beyond 1 is picked by every token; what it cannot take goes to the others in proportion.
// Source: docs/model.md, "Row load".
#pragma once

#include <cstdint>
#include <vector>

#include "cost/workload.h"

namespace bta {

/// Descending for zipf, in the file's order for measured, exactly k/E when all weights are equal. 1 <= k <=
/// E. Measured routing needs E counts, k of them above 0.
std::vector<double> routing_probabilities(const Routing& routing, std::int64_t experts, std::int64_t top_k);

/// Equal probabilities counted together: costs are sums over experts.
struct ExpertGroup {
  double probability = 0;
  std::int64_t experts = 0;
};
std::vector<ExpertGroup> expert_groups(const std::vector<double>& probabilities);

}  // namespace bta
