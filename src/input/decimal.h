// A decimal number exactly as written, so that whole numbers and units convert without rounding.
// Grammar: [-] digits [. digits] [e [+-] digits], no leading zeros, nothing else. Locale independent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "input/number.h"

namespace bta {

/// (-1)^negative * digits * 10^exponent
struct Decimal {
  bool negative = false;
  std::string digits;         // no leading or trailing zeros; empty = 0
  std::int64_t exponent = 0;  // within +-2'000'000'000, whatever was written
  bool plain = true;          // written with digits only: no point, no exponent
};

/// The number, or why the text is none ("'1_000' has an underscore").
Parsed<Decimal> scan_decimal(std::string_view text);

/// number * 2^binary_shift: is it whole, and which 64-bit integer (absent: too large)?
struct WholeNumber {
  bool whole = false;
  std::optional<std::int64_t> value;
};
WholeNumber whole_number(const Decimal& number, int binary_shift);

/// number * 10^decimal_shift * 2^binary_shift, correctly rounded before the power of two;
/// absent when a double cannot hold it.
std::optional<double> real_number(const Decimal& number, int decimal_shift, int binary_shift);

}  // namespace bta
