#include "input/number.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "input/decimal.h"
#include "input/quoted.h"

namespace bta {
namespace {

constexpr std::int64_t exact_in_a_double = std::int64_t{1} << 53;

std::string allowed(IntegerRange range) {
  if (range.max == INT64_MAX) return fmt::format("a whole number of at least {} is needed", range.min);
  return fmt::format("a whole number from {} to {} is needed", range.min, range.max);
}

bool is_bounded(double limit) {
  return std::abs(limit) < std::numeric_limits<double>::max();
}

std::string allowed(RealRange range) {
  const std::string low = fmt::format("{} {}", range.min_open ? "above" : "of at least", range.min);
  const std::string high = fmt::format("{} {}", range.max_open ? "below" : "at most", range.max);
  if (!is_bounded(range.max)) return fmt::format("a number {} is needed", low);
  return fmt::format("a number {} and {} is needed", low, high);
}

bool contains(RealRange range, double value) {
  const bool above = range.min_open ? value > range.min : value >= range.min;
  const bool below = range.max_open ? value < range.max : value <= range.max;
  return above && below;
}

}  // namespace

Parsed<std::int64_t> parse_integer(std::string_view text, IntegerRange range) {
  const auto fail = [&](const std::string& reason) { return reason + "; " + allowed(range); };
  const Parsed<Decimal> number = scan_decimal(text);
  if (!number) return fail(number.error());
  const WholeNumber whole = whole_number(number.value(), 0);
  if (!whole.whole) return fail(in_quotes(text) + " is not a whole number");
  const std::string side = number.value().negative ? " is too small" : " is too large";
  if (!whole.value) return fail(in_quotes(text) + side);
  if (!number.value().plain && std::abs(*whole.value) >= exact_in_a_double) {
    return fail(in_quotes(text) + " is too large to be written with a point or an exponent");
  }
  if (*whole.value < range.min) return fail(in_quotes(text) + " is too small");
  if (*whole.value > range.max) return fail(in_quotes(text) + " is too large");
  return *whole.value;
}

Parsed<double> parse_real(std::string_view text, RealRange range) {
  const auto fail = [&](const std::string& reason) { return reason + "; " + allowed(range); };
  const Parsed<Decimal> number = scan_decimal(text);
  if (!number) return fail(number.error());
  const std::optional<double> value = real_number(number.value(), 0, 0);
  if (!value) return fail(in_quotes(text) + " does not fit a double-precision number");
  if (!contains(range, *value)) return fail(in_quotes(text) + " is out of range");
  return *value;
}

}  // namespace bta
