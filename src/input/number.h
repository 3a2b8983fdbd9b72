// Numbers as text, the same rules in files and on the command line, whatever the locale.
// integer: decimal digits, or a decimal form whose value is an exact integer below 2^53 (1e5, 4096.0)
// real:    decimal, optional fraction and exponent
// refused: leading zeros (0100), 0x.., underscores, inf, nan, surrounding text, values out of range
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"

namespace bta {

struct IntegerRange {
  std::int64_t min = 0;
  std::int64_t max = INT64_MAX;
};
struct RealRange {
  double min = 0;
  double max = 0;
  bool min_open = false;  // min itself is refused
  bool max_open = false;
};

/// A value, or one sentence: what was found and what is allowed ("'4096.5' is not a whole number; ...").
template <class T>
using Parsed = boost::outcome_v2::basic_result<T, std::string, boost::outcome_v2::policy::all_narrow>;

Parsed<std::int64_t> parse_integer(std::string_view text, IntegerRange range);
Parsed<double> parse_real(std::string_view text, RealRange range);

/// `8,4,2,1`, `1:64` (step 1), `1:64:8` (step 8), `1:64:x2` (doubling); no gaps, no repeats, at most 10000
/// values.
Parsed<std::vector<std::int64_t>> parse_integer_list(std::string_view text, IntegerRange range);

/// The name nearest to `wanted` if it is near enough to be a slip (edit distance), else empty.
std::string nearest_name(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace bta
