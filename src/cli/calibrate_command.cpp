#include <fmt/format.h>

#include <algorithm>

#include "calibrate/calibrate.h"
#include "cli/commands.h"
#include "cli/defaults.h"
#include "cli/free_option.h"
#include "cli/measured_runs.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/overrides.h"
#include "input/hardware_writer.h"
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

void say_assumed_lengths(const std::vector<MeasuredRun>& measured, const Workload& workload, bool quiet) {
  for (const MeasuredRun& run : measured)
    if (!quiet && !run.seq_len)
      say_note(fmt::format("{}: no seq_len, taken as {} (--seq-len)", run.name, workload.seq_len));
}

/// Which calibrated hardware is written, and where.
struct Target {
  std::string name;
  Output output;
};

/// The hardware asked for, else that of the first row.
Result<std::string> name_to_write(const std::vector<Run>& runs, const std::optional<Wafer>& asked) {
  std::vector<std::string> names;
  for (const Run& run : runs)
    if (std::ranges::count(names, run.problem.wafer.name) == 0) names.push_back(run.problem.wafer.name);
  if (!asked) return names.front();
  if (std::ranges::count(names, asked->name) > 0) return asked->name;
  return Diagnostics{option_error("--write-hardware", fmt::format("no row ran on {}; the rows ran on {}",
                                                                  in_quotes(asked->name), joined(names)))};
}

Result<Target> open_target(const std::string& path, const std::string& report, const std::vector<Run>& runs,
                           const std::optional<Wafer>& asked) {
  const Result<std::string> name = name_to_write(runs, asked);
  if (!name) return name.error();
  if (same_file(path, report))
    return Diagnostics{
        option_error("--write-hardware", fmt::format("{} is where the report goes: give another "
                                                     "file, or --output",
                                                     path == "-" ? "stdout" : in_quotes(path)))};
  Result<Output> output = Output::open(path, "--write-hardware");
  if (!output) return output.error();
  return Target{name.value(), std::move(output).value()};
}

bool write_hardware(Target& target, const Calibration& calibration) {
  const auto wafer = std::ranges::find(calibration.wafers, target.name, &Wafer::name);
  return target.output.write(write_wafer_yaml(*wafer));
}

/// Absent when the option is.
Result<std::optional<Wafer>> asked_wafer(const std::optional<std::string>& name, const Overrides& overrides) {
  if (!name) return std::optional<Wafer>();
  Result<Wafer> wafer = load_wafer(*name, overrides.hardware);
  if (!wafer) return wafer.error();
  return std::optional<Wafer>(std::move(wafer).value());
}

}  // namespace

ExitCode run_calibrate(const Arguments& arguments) {
  OptionReader reader(arguments);
  const OutputOptions options = read_output(reader);
  const std::string file = read_file_name(reader, arguments.words);
  const Overrides overrides = read_overrides(reader);
  const Workload workload = read_workload(reader);
  CalibrationRequest request = read_calibration_request(reader);
  const std::optional<std::string> hardware = reader.text("--hardware");
  const std::optional<std::string> path = reader.text("--write-hardware");
  if (!reader.found().empty()) return refuse(reader.found());
  const Result<std::optional<Wafer>> asked = asked_wafer(hardware, overrides);
  if (!asked) return refuse(asked.error());
  const Result<MeasuredRuns> measured = load_measured(file, hardware.value_or(std::string(default_hardware)),
                                                      overrides.model, overrides.hardware);
  if (!measured) return refuse(measured.error());
  for (const auto& [option, place] :
       {std::pair("--output", std::optional(options.path)), {"--write-hardware", path}})
    if (place && same_file(*place, file))
      return refuse(
          {option_error(option, in_quotes(*place) + " holds the measured runs; give another file")});
  if (const Diagnostics errors = add_runs(request, measured.value(), workload, file); !errors.empty())
    return refuse(errors);
  if (const std::string reason = why_not(request); !reason.empty())
    return refuse({{.file = file, .message = reason}});
  Result<Output> output = Output::open(options.path);
  if (!output) return refuse(output.error());
  std::optional<Target> target;
  if (path) {
    Result<Target> opened = open_target(*path, options.path, request.runs, asked.value());
    if (!opened) return refuse(opened.error());
    target.emplace(std::move(opened).value());
  }
  say_assumed_lengths(measured.value().runs, workload, options.quiet);

  const Calibration calibration = calibrate(request);
  if (target && !write_hardware(*target, calibration)) return ExitCode::failed;
  return output.value().write(write_calibration(request, calibration, options.format)) ? ExitCode::done
                                                                                       : ExitCode::failed;
}

}  // namespace bta::cli
