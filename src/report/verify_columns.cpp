#include "report/verify_columns.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace bta {
namespace {

using C = const verify::Check&;

std::string_view measure_name(C check) {
  return verify::measure_names[static_cast<std::size_t>(check.measure)];
}

std::string_view status(C check) {
  return check.passed() ? "ok" : "failed";
}

/// Digits that tell two values apart; whole numbers with separators.
std::string value_text(const std::optional<double>& value) {
  constexpr double exact_below = 9007199254740992;
  if (!value) return "nothing";
  if (!std::isfinite(*value)) return "no finite number";
  const bool whole = std::trunc(*value) == *value && std::abs(*value) < exact_below;
  return whole ? grouped(*value) : shortest_text(*value);
}

std::string deviation_text(C check) {
  if (check.compared == 0) return "-";
  return std::isfinite(check.deviation) ? fmt::format("{:.3g}", check.deviation) : "not finite";
}

/// The tolerance in the check's measure.
std::string allowed(C check) {
  std::string limit = fmt::format("{:.3g}", check.tolerance);
  switch (check.measure) {
    case verify::Measure::exact:
      return "exact";
    case verify::Measure::relative:
      return limit + " relative";
    case verify::Measure::to_largest:
      return limit + " of largest";
    case verify::Measure::standard_error:
      return limit + " standard errors";
  }
  return limit;
}

constexpr auto check_machine_columns = std::to_array<Column<verify::Check>>({
    {"claim", "", "", Look::text, [](C c) { return cell(std::string_view(c.claim)); }},
    {"about", "", "", Look::text, [](C c) { return text_or_absent(c.about); }},
    {"status", "", "", Look::text, [](C c) { return cell(status(c)); }},
    {"compared", "", "", Look::count, [](C c) { return cell(c.compared); }},
    {"failed", "", "", Look::count, [](C c) { return cell(c.failed); }},
    {"deviation", "", "", Look::decimal, [](C c) { return c.compared > 0 ? cell(c.deviation) : Cell(); }},
    {"tolerance", "", "", Look::decimal, [](C c) { return cell(c.tolerance); }},
    {"measure", "", "", Look::text, [](C c) { return cell(measure_name(c)); }},
    {"worst", "", "", Look::text, [](C c) { return text_or_absent(c.worst); }},
    {"expected", "", "", Look::decimal, [](C c) { return cell(c.expected); }},
    {"measured", "", "", Look::decimal, [](C c) { return cell(c.measured); }},
    {"note", "", "", Look::text, [](C c) { return text_or_absent(c.note); }},
});

// What was run stands last: tables have it above the rows.
constexpr auto people_columns = std::to_array<Column<verify::Check>>({
    {"", "status", "", Look::text, [](C c) { return cell(status(c)); }},
    {"", "claim", "", Look::text, [](C c) { return cell(std::string_view(c.claim)); }},
    {"", "compared", "", Look::count, [](C c) { return cell(c.compared); }},
    {"", "deviation", "", Look::decimal, [](C c) { return cell(deviation_text(c)); }},
    {"", "tolerance", "", Look::text, [](C c) { return cell(allowed(c)); }},
    {"", "run", "", Look::text, [](C c) { return text_or_absent(c.about); }},
});

}  // namespace

std::span<const Column<verify::Check>> check_columns() {
  return check_machine_columns;
}

std::span<const Column<verify::Check>> people_check_columns() {
  return std::span(people_columns).first(people_columns.size() - 1);
}

std::span<const Column<verify::Check>> markdown_check_columns() {
  return people_columns;
}

std::string failure_text(C check) {
  if (check.compared == 0) return "nothing was compared";
  return fmt::format("{}expected {}, measured {}; {} of {} fail",
                     check.worst.empty() ? "" : "worst at " + check.worst + ": ", value_text(check.expected),
                     value_text(check.measured), grouped(check.failed), plural(check.compared, "value"));
}

}  // namespace bta
