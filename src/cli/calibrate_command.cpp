#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

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

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string> parts(const std::string& list, char separator) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(separator, at), list.size());
    result.push_back(trimmed(list.substr(at, end - at)));
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
  const bool one_scale = std::ranges::all_of(parameters, [&](const WaferParameter* parameter) {
    return parameter->scale == parameters.front()->scale &&
           decides_memory_only(*parameter) == decides_memory_only(*parameters.front());
  });
  if (one_scale) return parameters;
  reader.error(option, fmt::format("{} are of different kinds and cannot share one value", in_quotes(item)));
  return {};
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
  Run run =
      make_run(measured.name, make_problem(measured.model, measured.wafer, workload), tiling, measured.batch);
  run.measured = measured.tokens_per_s;
  if (!run.measured && measured.samples_per_s)
    run.measured = *measured.samples_per_s * as_double(workload.seq_len);
  run.largest_batch = measured.largest_batch;
  run.fitted = measured.fitted;
  return run;
}

/// The runs of the file; a row that is too large to be counted in 64 bits is told.
Diagnostics add_runs(CalibrationRequest& request, const MeasuredRuns& measured, const Workload& workload,
                     const std::string& file) {
  request.source = measured.name;
  request.source_hash = measured.content_hash;
  Diagnostics errors;
  for (const MeasuredRun& run : measured.runs) {
    try {
      request.runs.push_back(run_of(run, workload));
    } catch (const std::overflow_error&) {
      errors.push_back({file, run.line, 0, "batch", "this run is too large: its counts exceed 64 bits"});
    }
  }
  return errors;
}

void say_assumed_lengths(const std::vector<MeasuredRun>& measured, const Workload& workload, bool quiet) {
  for (const MeasuredRun& run : measured)
    if (!quiet && !run.seq_len)
      say_note(fmt::format("{}: no seq_len, taken as {} (--seq-len)", run.name, workload.seq_len));
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  const auto whole = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
  };
  return a == b || (a != "-" && b != "-" && whole(a) == whole(b));
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
  CalibrationRequest request = read_request(reader);
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
