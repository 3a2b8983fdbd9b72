#include "input/calibration_yaml.h"

#include <fmt/format.h>

#include <algorithm>

#include "hardware/parameters.h"
#include "input/quoted.h"

namespace bta {
namespace {

constexpr RealRange error_range{0, 1e6, false, false};
constexpr RealRange correlation_range{-1, 1, false, false};

/// The map below `key` as (name, node) in the file's order; what is no map is a problem.
std::vector<const Node*> entries(Reader& reader, std::string_view key) {
  const Node* const node = reader.take(key);
  std::vector<const Node*> found;
  if (node == nullptr) return found;
  if (node->kind != Node::Kind::map) {
    reader.problem(key, shown(*node) + " stands where a map is needed");
    return found;
  }
  for (const Node& child : node->children) found.push_back(&child);
  return found;
}

std::optional<std::size_t> place_of(const CalibrationRecord& record, std::string_view name) {
  const auto found = std::ranges::find(record.values, name, &CalibratedValue::name);
  if (found == record.values.end()) return std::nullopt;
  return static_cast<std::size_t>(found - record.values.begin());
}

void read_errors(Reader& section, CalibrationRecord& record) {
  const std::vector<const Node*> named = entries(section, "standard_error");
  if (named.empty()) return;
  section.section("standard_error", [&](Reader& errors) {
    for (const Node* entry : named) {
      if (find_parameters(entry->key).empty())
        errors.problem(entry->key, fmt::format("{} is no parameter of a wafer, nor several of one kind",
                                               in_quotes(entry->key)));
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
  const std::vector<const Node*> rows = entries(section, "correlation");
  if (rows.empty()) return;
  section.section("correlation", [&](Reader& pairs) {
    for (const Node* row : rows) read_row(pairs, *row, record);
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
