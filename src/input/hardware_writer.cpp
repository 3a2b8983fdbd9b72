#include "input/hardware_writer.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "base/split.h"

namespace bta {
namespace {

void emit_number(YAML::Emitter& out, const SourcedNumber& number) {
  if (number.kind == "unstated" && number.source.empty()) {
    out << number.value;
    return;
  }
  out << YAML::Flow << YAML::BeginMap << YAML::Key << "value" << YAML::Value << number.value;
  if (number.kind != "unstated") out << YAML::Key << "kind" << YAML::Value << number.kind;
  if (!number.source.empty())
    out << YAML::Key << "source" << YAML::Value << YAML::DoubleQuoted << number.source;
  out << YAML::EndMap;
}

/// Numbers stand in the schema's order, so those of one map stand together.
void emit_numbers(YAML::Emitter& out, const std::vector<SourcedNumber>& numbers) {
  std::vector<std::string> open;  // maps that are open
  for (const SourcedNumber& number : numbers) {
    const std::vector<std::string> parts = split(number.key, '.');
    std::size_t same = 0;
    while (same < open.size() && same + 1 < parts.size() && open[same] == parts[same]) ++same;
    for (; open.size() > same; open.pop_back()) out << YAML::EndMap;
    for (; open.size() + 1 < parts.size(); open.push_back(parts[open.size()]))
      out << YAML::Key << parts[open.size()] << YAML::Value << YAML::BeginMap;
    out << YAML::Key << parts.back() << YAML::Value;
    emit_number(out, number);
  }
  for (; !open.empty(); open.pop_back()) out << YAML::EndMap;
}

std::string number_text(double value) {
  return fmt::format("{}", value);
}

void emit_correlations(YAML::Emitter& out, const CalibrationRecord& record) {
  if (record.values.size() < 2) return;
  out << YAML::Key << "correlation" << YAML::Value << YAML::BeginMap;
  for (std::size_t i = 0; i + 1 < record.values.size(); ++i) {
    out << YAML::Key << record.values[i].name << YAML::Value << YAML::Flow << YAML::BeginMap;
    for (std::size_t j = i + 1; j < record.values.size(); ++j)
      out << YAML::Key << record.values[j].name << YAML::Value << number_text(record.correlation[i][j]);
    out << YAML::EndMap;
  }
  out << YAML::EndMap;
}

void emit_calibration(YAML::Emitter& out, const CalibrationRecord& record) {
  out << YAML::Key << "calibration" << YAML::Value << YAML::BeginMap;
  out << YAML::Key << "rows" << YAML::Value << YAML::DoubleQuoted << record.rows;
  out << YAML::Key << "degrees_of_freedom" << YAML::Value << record.degrees_of_freedom;
  out << YAML::Key << "scatter" << YAML::Value << number_text(record.scatter);
  out << YAML::Key << "standard_error" << YAML::Value << YAML::BeginMap;
  for (const CalibratedValue& value : record.values)
    out << YAML::Key << value.name << YAML::Value << number_text(value.standard_error);
  out << YAML::EndMap;
  emit_correlations(out, record);
  out << YAML::EndMap;
}

}  // namespace

std::string write_wafer_yaml(const Wafer& wafer) {
  YAML::Emitter out;
  out << YAML::BeginMap << YAML::Key << "name" << YAML::Value << wafer.name;
  emit_numbers(out, wafer.numbers);
  if (wafer.calibration) emit_calibration(out, *wafer.calibration);
  out << YAML::EndMap;
  return std::string(out.c_str()) + "\n";
}

}  // namespace bta
