// How full are the rows when an expert runs? Distribution of the token slots per row, and the expert buffer.
//
// masked: tokens stay in their rows; rho = T mod R rows hold q+1 tokens, the others q = floor(T/R); each
// token picks the expert with probability p. The fullest row M sets the time, padded to whole vectors:
//   P(M > m) = 1 - F(m; q, p)^(R-rho) * F(m; q+1, p)^rho       F: binomial CDF
//   slots = v*ceil(M/v)
// compacted: tokens are moved so that rows are even: slots = v*ceil(n/(R*v)), n ~ Binomial(T, p).
// The tail starts from Boost.Math's CDF where it is below 1e-16 and is summed downwards, positive terms only;
// what is beyond is left out. Work grows with the spread of the fullest row. Source: docs/model.md, "Row
// load".
#pragma once

#include <cstdint>
#include <vector>

#include "cost/workload.h"
#include "hardware/wafer.h"

namespace bta {

struct SlotProbability {
  double slots = 0;
  double probability = 0;
};

/// Ascending slots with their probabilities (sum 1 to rounding). tokens T >= 1, 0 <= p <= 1.
std::vector<SlotProbability> slot_distribution(std::int64_t tokens, double p, const Wafer& wafer,
                                               const Workload& workload);

/// Experts with the same distribution of slots.
struct LoadGroup {
  double experts = 0;
  std::vector<SlotProbability> slots;
};
/// The experts of one layer, in the order in which they run.
using LayerLoads = std::vector<LoadGroup>;

/// P(M > m) of masked placement.
double probability_row_exceeds(std::int64_t m, std::int64_t tokens, double p, std::int64_t rows);

double mean_slots(const std::vector<SlotProbability>& distribution);

/// cap: the smallest c with P(Binomial(T, p) <= c) >= 1 - tail.
std::int64_t expert_capacity(std::int64_t tokens, double p, double tail);

/// E*(1 - (1-k/E)^T) under independent uniform routing, per-expert p: sum_e 1 - (1-p_e)^T.
double experts_touched(const std::vector<double>& probabilities, std::int64_t tokens);

}  // namespace bta
