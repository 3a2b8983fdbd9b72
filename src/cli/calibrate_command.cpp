#include <fmt/format.h>

#include <algorithm>

#include "calibrate/calibrate.h"
#include "cli/commands.h"
#include "cli/confidence.h"
#include "cli/defaults.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/overrides.h"
#include "input/hardware_writer.h"
#include "input/measured_csv.h"
#include "input/quoted.h"
#include "report/calibrate_report.h"

namespace bta::cli {
namespace {

std::string read_file_name(OptionReader& reader, const std::vector<std::string>& words) {
  if (words.size() == 1) return words.front();
  reader.error("", words.empty()
                       ? "calibrate needs a CSV of measured runs; docs/calibration.md says what it holds"
                       : fmt::format("calibrate takes one CSV, found {}", words.size()));
  return "";
}

std::vector<std::string> free_names() {
  std::vector<std::string> names;
  for (const WaferParameter& parameter : wafer_parameters())
    if (can_be_free(parameter)) names.emplace_back(short_name(parameter));
  return names;
}

std::vector<std::string> parts(const std::string& list, char separator) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(separator, at), list.size());
    result.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return result;
}

/// The parameters of one item: "gemm" or "gemm=attention"; what is wrong is told.
std::vector<const WaferParameter*> read_item(OptionReader& reader, const std::string& option,
                                             const std::string& item) {
  std::vector<const WaferParameter*> parameters;
  for (const std::string& name : parts(item, '=')) {
    const WaferParameter* const found = find_parameter(name);
    if (found == nullptr || !can_be_free(*found)) {
      const std::string nearest = nearest_name(name, free_names());
      reader.error(option, fmt::format("{} is no parameter that can be fitted; {}", in_quotes(name),
                                       nearest.empty() ? "they are: " + joined(free_names())
                                                       : fmt::format("did you mean {}?", nearest)));
      return {};
    }
    parameters.push_back(found);
  }
  if (find_parameters(item).empty())
    reader.error(option,
                 fmt::format("{} are of different kinds and cannot share one value", in_quotes(item)));
  return parameters;
}

void read_freedom(OptionReader& reader, const std::string& option, const std::string& list, bool separate,
                  CalibrationRequest& request) {
  for (const std::string& item : parts(list, ',')) {
    const std::vector<const WaferParameter*> parameters = read_item(reader, option, item);
    if (parameters.empty()) continue;
    if (!decides_memory_only(*parameters.front())) {
      request.freedoms.push_back({parameters, separate});
    } else if (separate || parameters.size() > 1) {
      reader.error(option, fmt::format("{} decides memory only: it goes alone, in --free", in_quotes(item)));
    } else {
      request.of_memory.push_back(parameters.front());
    }
  }
}

void refuse_repeats(OptionReader& reader, const CalibrationRequest& request) {
  std::vector<const WaferParameter*> all = request.of_memory;
  for (const Freedom& freedom : request.freedoms)
    all.insert(all.end(), freedom.parameters.begin(), freedom.parameters.end());
  std::ranges::sort(all);
  const auto twice = std::ranges::adjacent_find(all);
  if (twice != all.end())
    reader.error("--free", fmt::format("{} is named twice", in_quotes(std::string(short_name(**twice)))));
}

CalibrationRequest read_request(OptionReader& reader) {
  CalibrationRequest request;
  const std::optional<std::string> separate = reader.text("--separate");
  const std::string free = reader.text("--free").value_or(separate ? "" : std::string(default_free));
  if (!free.empty()) read_freedom(reader, "--free", free, false, request);
  if (separate) read_freedom(reader, "--separate", *separate, true, request);
  request.confidence = read_confidence(reader).value_or(default_confidence);
  refuse_repeats(reader, request);
  return request;
}

Run run_of(const MeasuredRun& measured, const Workload& asked) {
  Workload workload = asked;
  workload.seq_len = measured.seq_len.value_or(asked.seq_len);
  workload.wafers = measured.wafers;
  const Tiling tiling{measured.micro_batch / measured.tiles, measured.tiles};
  Run run = make_run(measured.name, make_problem(measured.model, measured.wafer, workload), tiling);
  run.measured = measured.tokens_per_s;
  if (!run.measured && measured.samples_per_s)
    run.measured = *measured.samples_per_s * as_double(workload.seq_len);
  run.largest_batch = measured.largest_batch;
  run.fitted = measured.fitted;
  return run;
}

void say_assumed_lengths(const std::vector<MeasuredRun>& measured, const Workload& workload, bool quiet) {
  for (const MeasuredRun& run : measured)
    if (!quiet && !run.seq_len)
      say_note(fmt::format("{}: no seq_len, taken as {} (--seq-len)", run.name, workload.seq_len));
}

/// The hardware to write: the one asked for, else that of the first row.
Result<Wafer> chosen_wafer(const Calibration& calibration, const std::optional<std::string>& wanted) {
  if (!wanted) return calibration.wafers.front();
  std::vector<std::string> names;
  for (const Wafer& wafer : calibration.wafers) {
    if (wafer.name == *wanted) return wafer;
    names.push_back(wafer.name);
  }
  return Diagnostics{option_error("--write-hardware", fmt::format("no row ran on {}; the rows ran on {}",
                                                                  in_quotes(*wanted), joined(names)))};
}

}  // namespace

ExitCode run_calibrate(const Arguments& arguments) {
  OptionReader reader(arguments);
  const OutputOptions options = read_output(reader);
  const std::string file = read_file_name(reader, arguments.words);
  const Overrides overrides = read_overrides(reader);
  const Workload workload = read_workload(reader);
  CalibrationRequest request = read_request(reader);
  const std::optional<std::string> hardware = reader.text("--hardware");
  const std::optional<std::string> target = reader.text("--write-hardware");
  if (!reader.found().empty()) return refuse(reader.found());
  const Result<std::vector<MeasuredRun>> measured = load_measured(
      file, hardware.value_or(std::string(default_hardware)), overrides.model, overrides.hardware);
  if (!measured) return refuse(measured.error());
  for (const MeasuredRun& run : measured.value()) request.runs.push_back(run_of(run, workload));
  if (const std::string reason = why_not(request); !reason.empty())
    return refuse({{.file = file, .message = reason}});
  Result<Output> output = Output::open(options.path);
  if (!output) return refuse(output.error());
  say_assumed_lengths(measured.value(), workload, options.quiet);

  const Calibration calibration = calibrate(request);
  if (target) {
    const Result<Wafer> wafer = chosen_wafer(calibration, hardware);
    if (!wafer) return refuse(wafer.error());
    Result<Output> yaml = Output::open(*target);
    if (!yaml) return refuse(yaml.error());
    if (!yaml.value().write(write_wafer_yaml(wafer.value()))) return ExitCode::failed;
  }
  return output.value().write(write_calibration(request, calibration, options.format)) ? ExitCode::done
                                                                                       : ExitCode::failed;
}

}  // namespace bta::cli
