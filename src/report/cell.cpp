#include "report/cell.h"

#include <fmt/format.h>

#include <cmath>

namespace bta {

Cell cell(double value) {
  return std::isfinite(value) ? Cell(value) : Cell();
}

Cell cell(std::string_view text) {
  return std::string(text);
}

Cell text_or_absent(std::string_view text) {
  return text.empty() ? Cell() : cell(text);
}

bool is_absent(const Cell& value) {
  return std::holds_alternative<std::monostate>(value);
}

std::string shortest_text(double value) {
  return fmt::format("{}", value);
}

std::string machine_text(const Cell& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
  if (const auto* real = std::get_if<double>(&value)) return shortest_text(*real);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return "";
}

}  // namespace bta
