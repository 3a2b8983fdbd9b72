#include "input/calibration_yaml.h"

#include <fmt/format.h>

#include <algorithm>

#include "hardware/parameters.h"
#include "input/quoted.h"

namespace bta {
namespace {

constexpr RealRange error_range{0, 1e30, false, false};  // none is too large to know
constexpr RealRange correlation_range{-1, 1, false, false};

std::optional<std::size_t> place_of(const CalibrationRecord& record, std::string_view name) {
  const auto found = std::ranges::find(record.values, name, &CalibratedValue::name);
  if (found == record.values.end()) return std::nullopt;
  return static_cast<std::size_t>(found - record.values.begin());
}

/// What is wrong with the name of a value; empty when nothing is.
std::string why_no_value(const std::string& name, std::vector<const WaferParameter*>& named) {
  const std::vector<const WaferParameter*> parameters = find_parameters(name);
  if (parameters.empty())
    return fmt::format("{} is no parameter of a wafer, nor several of one kind", in_quotes(name));
  for (const WaferParameter* parameter : parameters) {
    if (!is_fitted_to_times(*parameter))
      return fmt::format("{} is no efficiency: measured times do not tell it", short_name(*parameter));
    if (std::ranges::find(named, parameter) != named.end())
      return fmt::format("{} is named twice", short_name(*parameter));
    named.push_back(parameter);
  }
  return "";
}

void read_errors(Reader& section, CalibrationRecord& record) {
  section.section("standard_error", [&](Reader& errors) {
    std::vector<const WaferParameter*> named;
    for (const Node* entry : errors.unread()) {
      if (const std::string why = why_no_value(entry->key, named); !why.empty())
        errors.problem(entry->key, why);
      const std::optional<double> error = errors.real(entry->key, error_range);
      record.values.push_back({entry->key, error.value_or(0)});
    }
  });
}

void read_row(Reader& pairs, const Node& row, CalibrationRecord& record) {
  const std::optional<std::size_t> i = place_of(record, row.key);
  if (!i) pairs.problem(row.key, "has no standard_error");
  pairs.section(row.key, [&](Reader& others) {
    for (const Node& other : row.children) {
      const std::optional<double> r = others.real(other.key, correlation_range);
      const std::optional<std::size_t> j = place_of(record, other.key);
      if (!j || (i && *i == *j)) {
        others.problem(other.key, j ? "a value's correlation with itself is 1" : "has no standard_error");
      } else if (i && record.correlation[*i][*j] != 0) {
        others.problem(other.key, "the correlation of this pair stands twice");
      } else if (i && r) {
        record.correlation[*i][*j] = record.correlation[*j][*i] = *r;
      }
    }
  });
}

void read_correlations(Reader& section, CalibrationRecord& record) {
  const std::size_t n = record.values.size();
  record.correlation.assign(n, std::vector<double>(n, 0));
  for (std::size_t i = 0; i < n; ++i) record.correlation[i][i] = 1;
  if (section.take("correlation") == nullptr) return;
  section.section("correlation", [&](Reader& pairs) {
    for (const Node* row : pairs.unread()) read_row(pairs, *row, record);
  });
}

}  // namespace

std::optional<CalibrationRecord> read_calibration(Reader& hardware) {
  if (!hardware.has("calibration")) {
    hardware.take("calibration");
    return std::nullopt;
  }
  CalibrationRecord record;
  hardware.section("calibration", [&](Reader& section) {
    record.rows = section.text("rows").value_or("");
    record.degrees_of_freedom = section.integer("degrees_of_freedom", {1, std::int64_t{1} << 30}).value_or(1);
    record.scatter = section.real("scatter", error_range).value_or(0);
    read_errors(section, record);
    read_correlations(section, record);
  });
  return record;
}

}  // namespace bta
