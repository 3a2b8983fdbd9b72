#include "cli/options.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/defaults.h"
#include "cli/overrides.h"
#include "cost/roofline.h"
#include "input/quoted.h"
#include "input/routing_csv.h"
#include "model/parameters.h"
#include "report/names.h"

namespace bta::cli {
namespace {

constexpr IntegerRange element_range{1, 16};  // bytes
constexpr RealRange quantile_range{0, 1 - 1e-9, true, false};
constexpr IntegerRange level_range{1, std::int64_t{1} << 16};  // as in a model file
constexpr RealRange zipf_range{0, 10, false, false};

void read_element(OptionReader& reader, const std::string& option, std::int64_t by_precision,
                  std::int64_t& target) {
  target = reader.integer(option, element_range).value_or(by_precision);
}

void read_measured_routing(OptionReader& reader, const std::string& path, Routing& routing) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return reader.error("--routing", fmt::format("{} is neither balanced nor zipf:A nor a file of counts, "
                                                 "expert,tokens",
                                                 in_quotes(path)));
  Result<MeasuredRouting> measured = load_routing(path);
  if (!measured) return reader.errors(measured.error());
  routing = std::move(measured).value();
}

void read_routing(OptionReader& reader, Routing& routing) {
  const std::optional<std::string> given = reader.text("--routing");
  if (!given || *given == "balanced") return;
  if (!given->starts_with("zipf:")) return read_measured_routing(reader, *given, routing);
  const Parsed<double> alpha = parse_real(std::string_view(*given).substr(5), zipf_range);
  if (!alpha) return reader.error("--routing", "A of zipf:A: " + alpha.error());
  routing = ZipfRouting{alpha.value()};
}

Constraints read_constraints(OptionReader& reader) {
  return {reader.integer("--max-tile", positive_integers),
          reader.integer("--max-micro-batch", positive_integers),
          reader.integer("--global-batch", positive_integers)};
}

LevelRequest read_levels(OptionReader& reader) {
  return {reader.integers("--experts", level_range), reader.integers("--top-k", level_range),
          reader.has("--iso-active")};
}

void check_precision(OptionReader& reader, const std::string& hardware, const Subject& subject) {
  if (vector_width(subject.wafer, subject.workload.precision) > 0) return;
  const std::string_view precision = name_of(subject.workload.precision);
  reader.errors({{.file = hardware,
                  .line = 0,
                  .column = 0,
                  .key = fmt::format("core.multiply_adds_per_cycle.{}", precision),
                  .message = fmt::format("is not there, so --precision {} cannot be planned on {}", precision,
                                         subject.wafer.name)}});
}

/// A learned position table has a last row.
void note_positions(Subject& subject) {
  const std::int64_t positions = subject.model.positions;
  if (positions == 0 || subject.workload.seq_len <= positions) return;
  subject.model.notes.push_back(
      fmt::format("seq_len {} is beyond the {} learned positions: planned as if the table were longer, with "
                  "--seq-len {} as it is",
                  subject.workload.seq_len, positions, positions));
}

}  // namespace

void read_precision(OptionReader& reader, Workload& workload) {
  reader.choose("--precision", precision_names, workload.precision);
  const std::int64_t bytes = workload.precision == Precision::fp32 ? 4 : 2;
  read_element(reader, "--activation-bytes", bytes, workload.bytes.activation);
  read_element(reader, "--weight-bytes", bytes, workload.bytes.weight);
  read_element(reader, "--gradient-bytes", bytes, workload.bytes.gradient);
  read_element(reader, "--score-bytes", bytes, workload.bytes.score);
}

Workload read_workload(OptionReader& reader) {
  Workload workload;
  workload.seq_len = reader.integer("--seq-len", positive_integers).value_or(workload.seq_len);
  reader.choose("--mask", mask_names, workload.mask);
  reader.choose("--attention", attention_names, workload.kernel);
  reader.choose("--checkpoint", checkpoint_names, workload.checkpoint);
  reader.choose("--placement", placement_names, workload.placement);
  read_routing(reader, workload.routing);
  read_precision(reader, workload);
  workload.capacity_quantile = reader.real("--quantile", quantile_range).value_or(workload.capacity_quantile);
  workload.head_chunk = reader.integer("--head-chunk", positive_integers);
  return workload;
}

std::optional<Subject> read_subject(OptionReader& reader) {
  const Overrides overrides = read_overrides(reader);
  const std::string model_name = reader.text("--model").value_or(std::string(default_model));
  const std::string hardware_name = reader.text("--hardware").value_or(std::string(default_hardware));
  Subject subject{{}, {}, read_workload(reader), read_constraints(reader), read_levels(reader)};
  const std::optional<std::int64_t> wafers = reader.integer("--wafers", positive_integers);
  Result<Model> model = load_model(model_name, overrides.model);
  Result<Wafer> wafer = load_wafer(hardware_name, overrides.hardware);
  if (!model) reader.errors(model.error());
  if (!wafer) reader.errors(wafer.error());
  if (model) {
    subject.model = std::move(model).value();
    static_cast<void>(count_parameters(subject.model));  // or throws ModelTooLarge: not the workload's fault
    note_positions(subject);
  }
  if (wafer) {
    subject.wafer = std::move(wafer).value();
    subject.workload.wafers = wafers.value_or(subject.wafer.wafers);
    check_precision(reader, hardware_name, subject);
  }
  if (!reader.found().empty()) return std::nullopt;
  return subject;
}

OutputOptions read_output(OptionReader& reader) {
  OutputOptions output;
  reader.choose("--format", format_names, output.format);
  output.path = reader.text("--output").value_or(output.path);
  output.quiet = reader.has("--quiet");
  return output;
}

}  // namespace bta::cli
