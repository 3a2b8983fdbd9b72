#include "verify/check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bta::verify {

Comparison::Comparison(std::string claim, std::string about, Measure measure, double tolerance) {
  check_.claim = std::move(claim);
  check_.about = std::move(about);
  check_.measure = measure;
  check_.tolerance = tolerance;
}

void Comparison::exact(std::string_view where, std::int64_t expected, std::int64_t measured) {
  const auto e = static_cast<double>(expected), m = static_cast<double>(measured);
  const double scale = expected == 0 ? 1 : std::abs(e);
  const double deviation = expected == measured ? 0 : std::max(std::abs(m - e), 1.0) / scale;
  add(where, deviation, expected != measured, e, m);
}

void Comparison::near(std::string_view where, double expected, double measured, double scale) {
  if (check_.measure == Measure::relative) scale = std::abs(expected);
  const double difference = std::abs(measured - expected);
  const double deviation = difference == 0 ? 0 : difference / scale;
  add(where, deviation, !(deviation <= check_.tolerance), expected, measured);
}

void Comparison::same(std::string_view where, bool equal, std::int64_t values) {
  add(where, equal ? 0 : 1, !equal, 1, equal ? 1 : 0);
  check_.compared += values - 1;
}

void Comparison::add(std::string_view where, double deviation, bool failed, double expected,
                     double measured) {
  ++check_.compared;
  if (failed) ++check_.failed;
  if (std::isnan(deviation)) deviation = std::numeric_limits<double>::infinity();
  if (deviation <= check_.deviation && check_.expected) return;
  if (deviation == 0 && check_.expected) return;
  check_.deviation = deviation;
  check_.expected = expected;
  check_.measured = measured;
  if (deviation > 0) check_.worst = where;
}

}  // namespace bta::verify
