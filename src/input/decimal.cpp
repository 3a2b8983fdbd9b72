#include "input/decimal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/characters.h"
#include "input/quoted.h"

namespace bta {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::int64_t exponent_limit = 1'000'000'000;

std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

bool take(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

std::int64_t clamped(std::string_view digits) {
  std::int64_t value = 0;
  for (const char c : digits) value = std::min(exponent_limit, value * 10 + (c - '0'));
  return value;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool is_not_finite(std::string_view text) {
  std::string word = lower_case(text);
  if (!word.empty() && (word.front() == '+' || word.front() == '-')) word.erase(0, 1);
  if (!word.empty() && word.front() == '.') word.erase(0, 1);
  return word == "inf" || word == "infinity" || word == "nan";
}

std::string without_leading_zeros(std::string_view text) {
  const bool negative = take(text, '-');
  while (text.size() > 1 && text[0] == '0' && is_digit(text[1])) text.remove_prefix(1);
  return fmt::format("{}{}", negative ? "-" : "", text);
}

bool has_leading_zero(std::string_view text) {
  take(text, '-');
  return text.size() > 1 && text[0] == '0' && is_digit(text[1]);
}

std::string why_no_number(std::string_view text) {
  const std::string shown = in_quotes(text);
  const std::string lower = lower_case(text);
  if (text.empty()) return "an empty value is not a number";
  if (is_not_finite(text)) return shown + " is not a finite number";
  if (lower.find("0x") != std::string::npos) return shown + " is not decimal; write decimal digits";
  if (text.find('_') != std::string_view::npos) return shown + " has an underscore; write the digits only";
  if (has_leading_zero(text)) {
    return fmt::format("{} has a leading zero; write {}", shown, without_leading_zeros(text));
  }
  if (text.find(',') != std::string_view::npos && is_digit(text.front())) {
    return shown + " has a comma; the decimal mark is a point and digits are not grouped";
  }
  return shown + " is not a number";
}

void strip_zeros(Decimal& number) {
  number.digits.erase(0, std::min(number.digits.find_first_not_of('0'), number.digits.size()));
  while (!number.digits.empty() && number.digits.back() == '0') {
    number.digits.pop_back();
    ++number.exponent;
  }
  if (number.digits.empty()) number.exponent = 0;
}

/// The exponent with its letter; false when the letter has no digits after it.
bool take_exponent(std::string_view& rest, Decimal& number) {
  if (!take(rest, 'e') && !take(rest, 'E')) return true;
  const bool negative = take(rest, '-');
  if (!negative) take(rest, '+');
  const std::string_view digits = take_digits(rest);
  number.exponent += negative ? -clamped(digits) : clamped(digits);
  number.plain = false;
  return !digits.empty();
}

/// digits[.digits]; false when a side of the point is empty.
bool take_mantissa(std::string_view& rest, Decimal& number) {
  number.digits = take_digits(rest);
  if (number.digits.empty()) return false;
  if (!take(rest, '.')) return true;
  const std::string_view fraction = take_digits(rest);
  number.digits += fraction;
  number.exponent = -static_cast<std::int64_t>(fraction.size());
  number.plain = false;
  return !fraction.empty();
}

}  // namespace

Parsed<Decimal> scan_decimal(std::string_view text) {
  Decimal number;
  std::string_view rest = text;
  number.negative = take(rest, '-');
  const bool scanned = take_mantissa(rest, number) && take_exponent(rest, number) && rest.empty();
  if (!scanned || has_leading_zero(text)) return why_no_number(text);
  strip_zeros(number);
  return number;
}

WholeNumber whole_number(const Decimal& number, int binary_shift) {
  constexpr std::size_t digits_of_64_bits = 19;
  constexpr Wide largest = INT64_MAX;
  if (number.digits.empty()) return {true, 0};
  if (number.digits.size() > digits_of_64_bits || number.exponent < -40) return {number.exponent >= 0, {}};
  Wide value = 0;
  for (const char c : number.digits) value = value * 10 + static_cast<unsigned>(c - '0');
  value <<= static_cast<unsigned>(binary_shift);
  for (std::int64_t power = number.exponent; power < 0; ++power) {
    if (value % 10 != 0) return {false, {}};
    value /= 10;
  }
  for (std::int64_t power = 0; power < number.exponent && value <= largest; ++power) value *= 10;
  if (value > largest) return {true, {}};
  const auto magnitude = static_cast<std::int64_t>(value);
  return {true, number.negative ? -magnitude : magnitude};
}

std::optional<double> real_number(const Decimal& number, int decimal_shift, int binary_shift) {
  if (number.digits.empty()) return 0.0;
  const std::string text =
      fmt::format("{}{}e{}", number.negative ? "-" : "", number.digits, number.exponent + decimal_shift);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  value = std::ldexp(value, binary_shift);
  if (!std::isfinite(value)) return {};
  return value;
}

}  // namespace bta
