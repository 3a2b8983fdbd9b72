#include "cost/row_load.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "cost/roofline.h"
#include "cost/term.h"

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

/// Smallest m with P(X > m) <= tail, X ~ Binomial(n, p), 0 < p < 1.
std::int64_t smallest_with_tail(std::int64_t n, double p, double tail) {
  const double mean = as_double(n) * p, deviation = std::sqrt(mean * (1 - p));
  auto low = static_cast<std::int64_t>(mean);  // fails, or is the least possible
  std::int64_t stride = 1 + static_cast<std::int64_t>(4 * deviation), high = std::min(n, low + stride);
  while (upper_tail(high, n, p) > tail) high = std::min(n, (low = high) + (stride *= 2));
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (upper_tail(middle, n, p) > tail ? low : high) = middle;
  }
  return upper_tail(low, n, p) > tail ? high : low;
}

/// Walks down the upper tail of X ~ Binomial(n, p), 0 < p < 1: P(X > m-1) = P(X > m) + P(X = m), all terms
/// positive.
class TailWalk {
 public:
  TailWalk(std::int64_t n, double p, std::int64_t start)
      : n_(n),
        odds_((1 - p) / p),
        m_(std::min(start, n)),
        tail_(upper_tail(m_, n, p)),
        point_(boost::math::pdf(Binomial(as_double(n), p), as_double(m_))) {}

  /// P(X > m); m must not rise from call to call.
  double at(std::int64_t m) {
    for (; m_ > std::max<std::int64_t>(m, -1); --m_) {
      tail_ += point_;
      point_ *= odds_ * as_double(m_) / as_double(n_ - m_ + 1);
    }
    return m >= n_ ? 0 : std::min(1.0, tail_);
  }

 private:
  std::int64_t n_;
  double odds_;
  std::int64_t m_;
  double tail_, point_;
};

/// count * log(1 - tail)
double log_all_within(std::int64_t count, double tail) {
  return count == 0 ? 0 : as_double(count) * std::log1p(-tail);
}

/// Rows of tokens that may pick the expert: `rows` with n tokens, `fuller` with one more; `unit` tokens fill
/// a vector.
struct Rows {
  std::int64_t rows, fuller, n, unit;
};
Rows rows_of(std::int64_t tokens, std::int64_t v, const Wafer& wafer, Placement placement) {
  const auto t = [](std::string_view placed, std::string_view part, std::int64_t count) {
    return term("row load", placed, part, count);
  };
  if (placement == Placement::compacted)
    return {1, 0, t("compacted", "tokens", tokens),
            t("compacted", "tokens of a vector", product(wafer.rows, v))};
  const std::int64_t fuller = tokens % wafer.rows;
  return {t("masked", "rows", wafer.rows - fuller), t("masked", "fuller rows", fuller),
          t("masked", "tokens", tokens / wafer.rows), t("masked", "tokens of a vector", v)};
}

}  // namespace

double probability_row_exceeds(std::int64_t m, std::int64_t tokens, double p, std::int64_t rows) {
  const std::int64_t q = tokens / rows, fuller = tokens % rows;
  return -std::expm1(log_all_within(rows - fuller, upper_tail(m, q, p)) +
                     log_all_within(fuller, upper_tail(m, q + 1, p)));
}

std::vector<SlotProbability> slot_distribution(std::int64_t tokens, double chosen, const Wafer& wafer,
                                               const Workload& workload) {
  const double p = term("row load", "expert", "probability", chosen);
  const std::int64_t v = vector_width(wafer, workload.precision);
  const auto [rows, fuller, n, unit] = rows_of(tokens, v, wafer, workload.placement);
  const std::int64_t longest = fuller > 0 ? n + 1 : n;
  if (p <= 0) return {{0, 1}};
  const auto slots = [&](std::int64_t vectors) {
    return as_double(term("row load", "fullest row", "slots", product(v, vectors)));
  };
  if (p >= 1) return {{slots(ceil_div(longest, unit)), 1}};
  const std::int64_t top = smallest_with_tail(longest, p, negligible / as_double(rows + fuller));
  TailWalk tail(n, p, top), fuller_tail(longest, p, top);
  std::vector<SlotProbability> distribution;
  double above = 0;  // P(slots > v*j)
  for (std::int64_t j = ceil_div(top, unit); above < 1 - negligible; --j) {
    const std::int64_t below = product(unit, j - 1);  // slots = v*j: the fullest row holds below+1 .. unit*j
    const double at_least = j == 0 ? 1
                                   : -std::expm1(log_all_within(rows, tail.at(below)) +
                                                 log_all_within(fuller, fuller_tail.at(below)));
    if (at_least > above)
      distribution.push_back({slots(j), term("row load", "fullest row", "probability", at_least - above)});
    above = at_least;
  }
  std::ranges::reverse(distribution);
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
