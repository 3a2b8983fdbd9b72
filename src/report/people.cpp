#include "report/people.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace bta {
namespace {

/// Three significant digits at least, no exponent for values people meet.
std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size >= 1000) return grouped(value);
  if (size >= 99.95) return fmt::format("{:.0f}", value);
  if (size >= 9.995) return fmt::format("{:.1f}", value);
  if (size >= 0.01 || size == 0) return fmt::format("{:.2f}", value);
  return fmt::format("{:.2g}", value);
}

double as_real(const Cell& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return as_double(*whole);
  return std::get<double>(value);
}

bool is_number(const Cell& value) {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

std::string with_separators(std::string digits) {
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3;) digits.insert(i -= 3, 1, ',');
  return digits;
}

struct Scale {
  double unit;
  std::string_view name;
};

template <std::size_t size>
std::string scaled(double value, const std::array<Scale, size>& scales) {
  for (const Scale& scale : scales)
    if (std::abs(value) >= scale.unit)
      return fmt::format("{} {}", three_digits(value / scale.unit), scale.name);
  return fmt::format("{} {}", three_digits(value / scales.back().unit), scales.back().name);
}

}  // namespace

std::string grouped(std::int64_t value) {
  return with_separators(fmt::format("{}", value));
}

std::string grouped(double value) {
  return with_separators(fmt::format("{:.0f}", value));
}

std::string percent_text(double fraction) {
  return fmt::format("{:.1f} %", 100 * fraction);
}

std::string change_text(double fraction) {
  const double percent = 100 * fraction;
  if (percent == 0) return "0";
  return std::abs(percent) >= 0.01 ? fmt::format("{:+.2f} %", percent) : fmt::format("{:+.1g} %", percent);
}

std::string seconds_text(double seconds) {
  constexpr std::array<Scale, 4> scales = {{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
  return seconds == 0 ? "0 s" : scaled(seconds, scales);
}

std::string bytes_text(double bytes) {
  constexpr std::array<Scale, 5> scales = {
      {{1e15, "PB"}, {1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}}};
  return std::abs(bytes) < 1000 ? fmt::format("{:.0f} B", bytes) : scaled(bytes, scales);
}

std::string plural(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::string for_people(const Cell& value, Look look) {
  if (is_absent(value)) return "-";
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "yes" : "no";
  if (!is_number(value) || look == Look::text) return machine_text(value);
  const double real = as_real(value);
  if (real == 0 && (look == Look::giga || look == Look::tera)) return "0";
  switch (look) {
    case Look::text:
      break;
    case Look::count:
      return std::holds_alternative<double>(value) ? grouped(real) : grouped(std::get<std::int64_t>(value));
    case Look::decimal:
      return three_digits(real);
    case Look::giga:
      return three_digits(real / 1e9);
    case Look::tera:
      return three_digits(real / 1e12);
    case Look::percent:
      return percent_text(real);
    case Look::change:
      return change_text(real);
    case Look::factor:
      return fmt::format("{:.2f}x", real);
    case Look::seconds:
      return seconds_text(real);
  }
  return machine_text(value);
}

}  // namespace bta
