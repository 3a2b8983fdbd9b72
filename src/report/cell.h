// One value of a report. Absent is a value of its own: an empty CSV cell, JSON null, `-` for people;
// never 0, nan or inf. Reals print the shortest digits that read back exactly, whatever the locale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/count.h"

namespace bta {

using Cell = std::variant<std::monostate, std::int64_t, double, std::string, bool>;

/// Absent when the value is not finite.
Cell cell(double value);
Cell cell(std::string_view text);
inline Cell cell(std::int64_t value) {
  return value;
}
inline Cell cell(bool value) {
  return value;
}
template <class Unit>
Cell cell(Count<Unit> count) {
  return count.value;
}
template <class Value>
Cell cell(const std::optional<Value>& value) {
  return value ? cell(*value) : Cell();
}
/// A text, absent when it is empty.
Cell text_or_absent(std::string_view text);

bool is_absent(const Cell& value);

/// Digits of a finite real: `{}` of fmt, e.g. 0.1, 1e+16.
std::string shortest_text(double value);

/// What machine formats print; absent is empty.
std::string machine_text(const Cell& value);

}  // namespace bta
