#include "cost/row_load.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <deque>

#include "cost/roofline.h"

namespace bta {
namespace {

namespace bmp = boost::math::policies;
// No promotion to long double: the tails keep 1e-14 relative, and it is three times as fast.
using Policy = bmp::policy<bmp::promote_double<false>, bmp::discrete_quantile<bmp::integer_round_up>>;
using Binomial = boost::math::binomial_distribution<double, Policy>;

constexpr double negligible = 1e-16;

/// P(X > m), X ~ Binomial(n, p).
double upper_tail(std::int64_t m, std::int64_t n, double p) {
  if (m >= n) return 0;
  if (m < 0 || p == 1) return 1;
  return boost::math::cdf(boost::math::complement(Binomial(as_double(n), p), as_double(m)));
}

/// P(X = m), X ~ Binomial(n, p).
double probability(std::int64_t m, std::int64_t n, double p) {
  return m > n ? 0 : boost::math::pdf(Binomial(as_double(n), p), as_double(m));
}

/// count * log(1 - tail)
double log_all_within(std::int64_t count, double tail) { return count == 0 ? 0 : as_double(count) * std::log1p(-tail); }

/// P(slots > v*j) for the placement, a step function of j.
struct SlotTail {
  std::int64_t tokens;
  double p;
  std::int64_t rows, v;
  Placement placement;
  double operator()(std::int64_t j) const {
    if (placement == Placement::masked) return probability_row_exceeds(product(v, j), tokens, p, rows);
    return upper_tail(product(rows, v, j), tokens, p);
  }
  /// Near where the tail falls from 1 to 0: mean plus the expected excess of the fullest row.
  std::int64_t center() const {
    const bool masked = placement == Placement::masked;
    const double n = masked ? std::ceil(as_double(tokens) / as_double(rows)) : as_double(tokens);
    const double excess = masked ? std::sqrt(2 * std::log(as_double(rows)) * n * p * (1 - p)) : 0;
    return static_cast<std::int64_t>((n * p + excess) / as_double(masked ? v : product(rows, v)));
  }
};

}  // namespace

double probability_row_exceeds(std::int64_t m, std::int64_t tokens, double p, std::int64_t rows) {
  const std::int64_t q = tokens / rows, fuller = tokens % rows;
  const double tail = upper_tail(m, q, p);
  // A row with one token more exceeds m if it did already, or held m and the token joins: P(X > m) + p*P(X = m).
  const double fuller_tail = fuller == 0 ? 0 : std::min(1.0, tail + p * probability(m, q, p));
  return -std::expm1(log_all_within(rows - fuller, tail) + log_all_within(fuller, fuller_tail));
}

std::vector<SlotProbability> slot_distribution(std::int64_t tokens, double p, const Wafer& wafer,
                                               const Workload& workload) {
  const std::int64_t v = vector_width(wafer, workload.precision);
  const SlotTail exceeds{tokens, p, wafer.rows, v, workload.placement};
  std::deque<double> tails{exceeds(exceeds.center())};  // tails[i] = P(slots > v*(first + i))
  std::int64_t first = exceeds.center();
  while (first > 0 && tails.front() < 1 - negligible) tails.push_front(exceeds(--first));
  while (tails.back() > negligible)
    tails.push_back(exceeds(first + static_cast<std::int64_t>(tails.size())));
  std::vector<SlotProbability> distribution;
  double above = 1;
  for (const double tail : tails) {
    if (above > tail) distribution.push_back({as_double(product(v, first)), above - tail});
    above = tail;
    ++first;
  }
  return distribution;
}

double mean_slots(const std::vector<SlotProbability>& distribution) {
  double mean = 0;
  for (const auto& [slots, probability] : distribution) mean += slots * probability;
  return mean;
}

std::int64_t expert_capacity(std::int64_t tokens, double p, double tail) {
  if (p >= 1) return tokens;
  if (p <= 0) return 0;
  auto capacity = static_cast<std::int64_t>(
      boost::math::quantile(boost::math::complement(Binomial(as_double(tokens), p), tail)));
  while (capacity > 0 && upper_tail(capacity - 1, tokens, p) <= tail) --capacity;
  while (upper_tail(capacity, tokens, p) > tail) ++capacity;
  return capacity;
}

double experts_touched(const std::vector<double>& probabilities, std::int64_t tokens) {
  double touched = 0;
  for (const double p : probabilities)
    touched += p >= 1 ? 1 : -std::expm1(as_double(tokens) * std::log1p(-p));
  return touched;
}

}  // namespace bta
