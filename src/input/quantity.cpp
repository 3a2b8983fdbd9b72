#include "input/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/characters.h"
#include "input/decimal.h"
#include "input/quoted.h"

namespace bta {
namespace {

/// 1 unit = 10^decimal * 2^binary base units.
struct Unit {
  std::string_view name;
  Dimension dimension;
  int decimal;
  int binary;
};

constexpr std::array units{
    Unit{"B", Dimension::bytes, 0, 0},
    Unit{"kB", Dimension::bytes, 3, 0},
    Unit{"KB", Dimension::bytes, 3, 0},
    Unit{"MB", Dimension::bytes, 6, 0},
    Unit{"GB", Dimension::bytes, 9, 0},
    Unit{"TB", Dimension::bytes, 12, 0},
    Unit{"PB", Dimension::bytes, 15, 0},
    Unit{"KiB", Dimension::bytes, 0, 10},
    Unit{"MiB", Dimension::bytes, 0, 20},
    Unit{"GiB", Dimension::bytes, 0, 30},
    Unit{"TiB", Dimension::bytes, 0, 40},
    Unit{"PiB", Dimension::bytes, 0, 50},
    Unit{"Hz", Dimension::hertz, 0, 0},
    Unit{"kHz", Dimension::hertz, 3, 0},
    Unit{"MHz", Dimension::hertz, 6, 0},
    Unit{"GHz", Dimension::hertz, 9, 0},
    Unit{"THz", Dimension::hertz, 12, 0},
    Unit{"B/s", Dimension::bytes_per_second, 0, 0},
    Unit{"kB/s", Dimension::bytes_per_second, 3, 0},
    Unit{"KB/s", Dimension::bytes_per_second, 3, 0},
    Unit{"MB/s", Dimension::bytes_per_second, 6, 0},
    Unit{"GB/s", Dimension::bytes_per_second, 9, 0},
    Unit{"TB/s", Dimension::bytes_per_second, 12, 0},
    Unit{"PB/s", Dimension::bytes_per_second, 15, 0},
    Unit{"KiB/s", Dimension::bytes_per_second, 0, 10},
    Unit{"MiB/s", Dimension::bytes_per_second, 0, 20},
    Unit{"GiB/s", Dimension::bytes_per_second, 0, 30},
    Unit{"TiB/s", Dimension::bytes_per_second, 0, 40},
    Unit{"PiB/s", Dimension::bytes_per_second, 0, 50},
    Unit{"FLOP/s", Dimension::flops_per_second, 0, 0},
    Unit{"MFLOP/s", Dimension::flops_per_second, 6, 0},
    Unit{"GFLOP/s", Dimension::flops_per_second, 9, 0},
    Unit{"TFLOP/s", Dimension::flops_per_second, 12, 0},
    Unit{"PFLOP/s", Dimension::flops_per_second, 15, 0},
    Unit{"EFLOP/s", Dimension::flops_per_second, 18, 0},
    Unit{"s", Dimension::seconds, 0, 0},
    Unit{"ms", Dimension::seconds, -3, 0},
    Unit{"us", Dimension::seconds, -6, 0},
    Unit{"ns", Dimension::seconds, -9, 0},
};

/// In the order of Dimension.
struct DimensionWords {
  std::string_view name;
  std::string_view example;
  std::string_view base;
};
constexpr std::array dimension_words{
    DimensionWords{"a size in bytes", "48KiB", "B"},
    DimensionWords{"a frequency", "1.1GHz", "Hz"},
    DimensionWords{"a rate in bytes per second", "150GB/s", "B/s"},
    DimensionWords{"a rate of operations", "7.5PFLOP/s", "FLOP/s"},
    DimensionWords{"a time", "1.5ms", "s"},
};
const DimensionWords& words(Dimension dimension) {
  return dimension_words[static_cast<std::size_t>(dimension)];
}

std::string needed(Dimension dimension) {
  return fmt::format("{} is needed, such as {}", words(dimension).name, words(dimension).example);
}

const Unit* find_unit(std::string_view name) {
  const auto* const unit =
      std::find_if(units.begin(), units.end(), [name](const Unit& u) { return u.name == name; });
  return unit == units.end() ? nullptr : unit;
}

std::vector<std::string> unit_names(Dimension dimension) {
  std::vector<std::string> names;
  for (const Unit& unit : units) {
    if (unit.dimension == dimension) names.emplace_back(unit.name);
  }
  return names;
}

/// Where the unit begins: an e is part of the number only with an exponent behind it.
std::size_t number_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    const char c = text[length];
    const std::string_view behind = text.substr(length + 1);
    const bool signed_digit =
        behind.size() > 1 && (behind[0] == '+' || behind[0] == '-') && is_digit(behind[1]);
    const bool exponent =
        (c == 'e' || c == 'E') && ((!behind.empty() && is_digit(behind[0])) || signed_digit);
    const bool sign = c == '-' || c == '+';
    if (!is_digit(c) && c != '.' && c != '_' && c != ',' && !sign && !exponent) break;
    length += exponent && signed_digit ? 2 : 1;
  }
  return length;
}

/// Gb, Gbit, Gibit/s, Gbps ...: a lower-case b behind an optional prefix.
bool counts_bits(std::string_view unit) {
  if (!unit.empty() && std::string_view("kKMGTP").find(unit.front()) != std::string_view::npos)
    unit.remove_prefix(1);
  if (unit.starts_with("i")) unit.remove_prefix(1);
  constexpr std::array bits{"b", "bit", "bits", "b/s", "bit/s", "bits/s", "bps"};
  return std::find(bits.begin(), bits.end(), unit) != bits.end();
}

bool is_bare_prefix(std::string_view unit) {
  constexpr std::array prefixes{"k", "K", "M",  "G",  "T",  "P",  "E", "m",
                                "u", "n", "Ki", "Mi", "Gi", "Ti", "Pi"};
  return std::find(prefixes.begin(), prefixes.end(), unit) != prefixes.end();
}

/// Why `unit` cannot stand in a quantity of this dimension.
std::string unit_problem(std::string_view text, std::string_view unit, Dimension dimension) {
  const std::string shown = in_quotes(text);
  if (unit.empty()) return fmt::format("{} has no unit; {}", shown, needed(dimension));
  if (counts_bits(unit)) {
    return fmt::format("{} counts bits, which are not bytes; divide by 8 and write B for bytes", shown);
  }
  if (is_bare_prefix(unit) && dimension == Dimension::bytes) {
    return fmt::format(
        "{} ends in a bare letter, which could mean powers of 1000 or of 1024; write GB (1e9 bytes) or "
        "GiB (2^30 bytes) and the like",
        shown);
  }
  if (is_bare_prefix(unit)) {
    return fmt::format("{} ends in a bare letter, which is not a unit; {}", shown, needed(dimension));
  }
  if (const Unit* other = find_unit(unit)) {
    return fmt::format("{} is {}; {}", shown, words(other->dimension).name, needed(dimension));
  }
  const std::string nearest = nearest_name(unit, unit_names(dimension));
  const std::string guess = nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest);
  return fmt::format("{} has the unknown unit {}{}; known here: {}", shown, in_quotes(unit),
                     nearest.empty() ? "" : guess, joined(unit_names(dimension)));
}

struct Quantity {
  Decimal number;
  Unit unit;
};

Parsed<Quantity> scan_quantity(std::string_view text, Dimension dimension) {
  const std::size_t length = number_length(text);
  std::string_view unit_name = text.substr(length);
  if (unit_name.starts_with(" ")) unit_name.remove_prefix(1);
  if (length == 0) return fmt::format("{} has no number; {}", in_quotes(text), needed(dimension));
  const Parsed<Decimal> number = scan_decimal(text.substr(0, length));
  if (!number) return fmt::format("{}; {}", number.error(), needed(dimension));
  const Unit* const unit = find_unit(unit_name);
  if (unit == nullptr || unit->dimension != dimension) return unit_problem(text, unit_name, dimension);
  return Quantity{number.value(), *unit};
}

std::string shown_range(double low, double high, bool low_open, std::string_view base) {
  return fmt::format("{} {} {} and at most {} {} is allowed", low_open ? "above" : "at least", low, base,
                     high, base);
}

}  // namespace

Parsed<double> parse_quantity(std::string_view text, Dimension dimension, RealRange range) {
  const Parsed<Quantity> quantity = scan_quantity(text, dimension);
  if (!quantity) return quantity.error();
  const auto& [number, unit] = quantity.value();
  const std::optional<double> value = real_number(number, unit.decimal, unit.binary);
  const bool above = value && (range.min_open ? *value > range.min : *value >= range.min);
  const bool below = value && (range.max_open ? *value < range.max : *value <= range.max);
  if (above && below) return *value;
  return fmt::format("{} is out of range; {}", in_quotes(text),
                     shown_range(range.min, range.max, range.min_open, words(dimension).base));
}

Parsed<Bytes> parse_bytes(std::string_view text, IntegerRange range) {
  const Parsed<Quantity> quantity = scan_quantity(text, Dimension::bytes);
  if (!quantity) return quantity.error();
  auto [number, unit] = quantity.value();
  if (!number.digits.empty()) number.exponent += unit.decimal;
  const WholeNumber bytes = whole_number(number, unit.binary);
  if (!bytes.whole) return fmt::format("{} is not a whole number of bytes", in_quotes(text));
  if (bytes.value && *bytes.value >= range.min && *bytes.value <= range.max) return Bytes(*bytes.value);
  return fmt::format("{} is out of range; from {} to {} bytes are allowed", in_quotes(text), range.min,
                     range.max);
}

}  // namespace bta
