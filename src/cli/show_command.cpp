#include <fmt/format.h>

#include "base/split.h"
#include "cli/commands.h"
#include "cli/named.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/overrides.h"
#include "input/builtin.h"
#include "input/load.h"
#include "input/quoted.h"
#include "input/source_text.h"
#include "report/hardware_report.h"
#include "report/model_report.h"

namespace bta::cli {
namespace {

std::optional<StateBytes> read_state_bytes(OptionReader& reader) {
  const std::optional<std::string> given = reader.text("--state-bytes");
  if (!given) return std::nullopt;
  std::vector<std::int64_t> values;
  for (const std::string& part : split(*given, ',')) {
    const Parsed<std::int64_t> value = parse_integer(part, {0, 1024});
    if (!value) {
      reader.error("--state-bytes", value.error());
      return std::nullopt;
    }
    values.push_back(value.value());
  }
  if (values.size() == 4) return StateBytes{values[0], values[1], values[2], values[3]};
  reader.error("--state-bytes",
               fmt::format("{} holds {} numbers; four are needed: weight, gradient, master and moments",
                           in_quotes(*given), values.size()));
  return std::nullopt;
}

/// Options that mean something for models only.
void refuse_model_options(OptionReader& reader, const Overrides& overrides) {
  for (const char* const option : {"--state-bytes", "--weight-bytes", "--precision"})
    if (reader.has(option)) reader.error(option, "is for models; this is hardware");
  if (!overrides.model.empty())
    reader.error("--set", "model." + overrides.model.front().key + " does not apply to hardware");
}

std::optional<std::string> shown_model(OptionReader& reader, Model model, const Overrides& overrides,
                                       Format format) {
  if (!overrides.hardware.empty())
    reader.error("--set", "hardware." + overrides.hardware.front().key + " does not apply to a model");
  Workload workload;
  read_precision(reader, workload);
  const std::optional<StateBytes> state = read_state_bytes(reader);
  if (!reader.found().empty()) return std::nullopt;
  return write_model({std::move(model), workload.bytes.weight, state}, format);
}

std::optional<std::string> shown_wafer(OptionReader& reader, const Wafer& wafer, const Overrides& overrides,
                                       Format format) {
  refuse_model_options(reader, overrides);
  if (!reader.found().empty()) return std::nullopt;
  return write_wafer(wafer, format);
}

std::vector<Builtin> all_builtins() {
  std::vector<Builtin> all(builtin_models().begin(), builtin_models().end());
  all.insert(all.end(), builtin_hardware().begin(), builtin_hardware().end());
  return all;
}

/// A file is what it reads as.
std::optional<std::string> shown(OptionReader& reader, const std::string& name, Format format) {
  const Overrides overrides = read_overrides(reader);
  if (!is_there(name)) {
    reader.error("", nothing_named(name, all_builtins()));
    return std::nullopt;
  }
  const Result<Model> model = load_model(name, overrides.model);
  if (model) return shown_model(reader, model.value(), overrides, format);
  const Result<Wafer> wafer = load_wafer(name, overrides.hardware);
  if (wafer) return shown_wafer(reader, wafer.value(), overrides, format);
  reader.errors(looks_like_hardware(name, model.error()) ? wafer.error() : model.error());
  return std::nullopt;
}

}  // namespace

ExitCode run_show(const Arguments& arguments) {
  OptionReader reader(arguments);
  const OutputOptions options = read_output(reader);
  const std::string name =
      read_name(reader, "show", arguments.words,
                "the name of a model or hardware, or a file; 'bta-plan list' names what is built in");
  if (!reader.found().empty()) return refuse(reader.found());
  Result<Output> output = Output::open(options.path);
  if (!output) return refuse(output.error());
  const std::optional<std::string> text = shown(reader, name, options.format);
  if (!text) return refuse(reader.found());
  return output.value().write(*text) ? ExitCode::done : ExitCode::failed;
}

}  // namespace bta::cli
