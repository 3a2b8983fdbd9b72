#include "report/calibrate_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/context.h"
#include "report/csv.h"
#include "report/document.h"
#include "report/markdown.h"
#include "report/names.h"
#include "report/text_table.h"

namespace bta {
namespace {

/// One row: the run and what became of it.
struct RunLine {
  const Run* run = nullptr;
  const RowResult* result = nullptr;
};

std::string_view use_of(const RunLine& l) {
  return l.run->fitted && l.run->measured ? "fit" : "report";
}

constexpr auto run_columns = std::to_array<Column<RunLine>>({
    {"name", "run", "", Look::text, [](const RunLine& l) { return cell(std::string_view(l.run->name)); }},
    {"use", "use", "", Look::text, [](const RunLine& l) { return cell(use_of(l)); }},
    {"model", "", "", Look::text,
     [](const RunLine& l) { return cell(std::string_view(l.run->problem.model.name)); }},
    {"hardware", "", "", Look::text,
     [](const RunLine& l) { return cell(std::string_view(l.run->problem.wafer.name)); }},
    {"wafers", "", "", Look::count, [](const RunLine& l) { return cell(l.run->problem.workload.wafers); }},
    {"seq_len", "S", "", Look::count, [](const RunLine& l) { return cell(l.run->problem.workload.seq_len); }},
    {"tile_batch", "B", "", Look::count, [](const RunLine& l) { return cell(l.run->tiling.tile_batch); }},
    {"tiles", "G", "", Look::count, [](const RunLine& l) { return cell(l.run->tiling.tiles); }},
    {"measured_tokens_per_s", "measured", "tokens/s", Look::count,
     [](const RunLine& l) { return cell(l.run->measured); }},
    {"predicted_tokens_per_s", "predicted", "tokens/s", Look::count,
     [](const RunLine& l) { return cell(l.result->predicted); }},
    {"error", "error", "", Look::percent, [](const RunLine& l) { return cell(l.result->error); }},
    {"left_out_error", "left out", "error", Look::percent,
     [](const RunLine& l) { return cell(l.result->left_out); }},
    {"fits", "fits", "", Look::text, [](const RunLine& l) { return cell(l.result->fits); }},
    {"largest_uniform_batch", "largest", "B", Look::count,
     [](const RunLine& l) { return cell(l.result->largest_batch); }},
    {"measured_largest_batch", "measured", "largest B", Look::count,
     [](const RunLine& l) { return cell(l.run->largest_batch); }},
});

std::string quantity(const WaferParameter& parameter, const std::optional<double>& value) {
  if (!value) return "";
  return parameter.unit == "s"
             ? seconds_text(*value)
             : fmt::format("{:.4g}{}{}", *value, parameter.unit.empty() ? "" : " ", parameter.unit);
}

/// A fitted value, of time or of memory.
struct ValueLine {
  std::string name;
  const WaferParameter* parameter = nullptr;
  double value = 0;
  std::optional<double> low, high, standard_error;
  std::string note;
};

constexpr auto value_columns = std::to_array<Column<ValueLine>>({
    {"parameter", "fitted", "", Look::text,
     [](const ValueLine& l) { return cell(std::string_view(l.name)); }},
    {"value", "", "", Look::decimal, [](const ValueLine& l) { return cell(l.value); }},
    {"low", "", "", Look::decimal, [](const ValueLine& l) { return cell(l.low); }},
    {"high", "", "", Look::decimal, [](const ValueLine& l) { return cell(l.high); }},
    {"", "value", "", Look::text,
     [](const ValueLine& l) { return text_or_absent(quantity(*l.parameter, l.value)); }},
    {"", "from", "", Look::text,
     [](const ValueLine& l) { return text_or_absent(quantity(*l.parameter, l.low)); }},
    {"", "to", "", Look::text,
     [](const ValueLine& l) { return text_or_absent(quantity(*l.parameter, l.high)); }},
    {"standard_error", "", "", Look::decimal, [](const ValueLine& l) { return cell(l.standard_error); }},
    {"unit", "", "", Look::text, [](const ValueLine& l) { return text_or_absent(l.parameter->unit); }},
    {"note", "note", "", Look::text, [](const ValueLine& l) { return text_or_absent(l.note); }},
});

ValueLine line_of(const ResidentEstimate& estimate) {
  ValueLine line{std::string(short_name(*estimate.parameter)),
                 estimate.parameter,
                 estimate.value,
                 estimate.low,
                 estimate.high,
                 std::nullopt,
                 ""};
  line.note = estimate.identified
                  ? "the most cautious; the batches fit equally well with values in this range"
                  : "not identified by these rows: with each of its values the batches can fit equally well";
  return line;
}

std::vector<ValueLine> value_lines(const Calibration& calibration) {
  std::vector<ValueLine> lines;
  for (const Estimate& e : calibration.fit.estimates)
    lines.push_back({shown_name(e.free), &e.free.lead(), e.value(), e.low, e.high, e.standard_error, e.note});
  for (const ResidentEstimate& e : calibration.resident.estimates) lines.push_back(line_of(e));
  return lines;
}

std::vector<RunLine> run_lines(const CalibrationRequest& request, const Calibration& calibration) {
  std::vector<RunLine> lines;
  for (std::size_t i = 0; i < request.runs.size(); ++i)
    lines.push_back({&request.runs[i], &calibration.rows[i]});
  return lines;
}

template <class Columns>
auto machine_columns(const Columns& columns) {
  std::vector<typename Columns::value_type> named;
  std::ranges::copy_if(columns, std::back_inserter(named), [](const auto& c) { return !c.name.empty(); });
  return named;
}

std::int64_t fitted_rows(const Calibration& calibration) {
  return calibration.fit.degrees_of_freedom + static_cast<std::int64_t>(calibration.fit.estimates.size());
}

std::string summary_text(std::string_view what, const ErrorSummary& summary) {
  return fmt::format("{}: mean {}, worst {}", what, percent_text(summary.mean), percent_text(summary.worst));
}

/// "gemm=attention with layer_overhead -0.42"; pairs that are nearly one value deserve to be seen.
std::string correlation_note(const Uncertainty& fit) {
  std::string text;
  for (std::size_t i = 0; i < fit.estimates.size(); ++i)
    for (std::size_t j = i + 1; j < fit.estimates.size(); ++j)
      if (fit.correlation[i][j] != 0)
        text += fmt::format("{}{} with {} {:.2f}", text.empty() ? "correlation: " : ", ",
                            shown_name(fit.estimates[i].free), shown_name(fit.estimates[j].free),
                            fit.correlation[i][j]);
  return text;
}

/// What was fitted to how many rows, and how well.
std::vector<std::string> fit_notes(const Calibration& calibration) {
  if (fitted_rows(calibration) == 0) return {"no row has a throughput to fit: only memory was fitted"};
  std::vector<std::string> notes = {
      fmt::format("{} fitted to {}; errors are predicted/measured - 1",
                  plural(static_cast<std::int64_t>(calibration.fit.estimates.size()), "value"),
                  plural(fitted_rows(calibration), "row")),
      summary_text("residuals", calibration.residual)};
  notes.push_back(
      calibration.left_out
          ? summary_text("leave-one-out, each row predicted by a fit to the others", *calibration.left_out)
          : "leave-one-out: the rows that remain cannot determine the values");
  return notes;
}

std::vector<std::string> notes_of(const CalibrationRequest& request, const Calibration& calibration) {
  std::vector<std::string> notes = fit_notes(calibration);
  if (calibration.fit.scatter)
    notes.push_back(fmt::format(
        "scatter about the fit {:.3f} of ln(predicted/measured), {}; intervals hold "
        "with probability {}",
        *calibration.fit.scatter, plural(calibration.fit.degrees_of_freedom, "degree") + " of freedom",
        request.confidence));
  if (std::string text = correlation_note(calibration.fit); !text.empty()) notes.push_back(std::move(text));
  if (calibration.resident.misfit > 0)
    notes.push_back(
        "no choice of these values of memory lets every batch fit and meets every largest batch; this "
        "is the nearest");
  const auto too_large = std::ranges::count_if(calibration.rows, [](const RowResult& r) { return !r.fits; });
  if (too_large > 0)
    notes.push_back(
        fmt::format("{} of {} batches that ran do not fit the model's memory limit: see "
                    "--attention and --free score_heads",
                    too_large, calibration.rows.size()));
  return notes;
}

std::string heading(const CalibrationRequest& request) {
  const Workload& w = request.runs.front().problem.workload;
  return fmt::format("calibration of {}\nmask {}, attention {}, checkpoint {}, placement {}, precision {}\n",
                     plural(static_cast<std::int64_t>(request.runs.size()), "measured run"), name_of(w.mask),
                     name_of(w.kernel), name_of(w.checkpoint), name_of(w.placement), name_of(w.precision));
}

Json inputs_json(const CalibrationRequest& request) {
  Json inputs = {{"measured", name_and_hash(request.source, request.source_hash)}};
  for (const char* const what : {"models", "hardware"}) inputs[what] = Json::array();
  const auto add = [&](const char* what, const Json& input) {
    if (std::ranges::count(inputs[what], input) == 0) inputs[what].push_back(input);
  };
  for (const Run& run : request.runs) {
    add("models", name_and_hash(run.problem.model.name, run.problem.model.content_hash));
    add("hardware", name_and_hash(run.problem.wafer.name, run.problem.wafer.content_hash));
  }
  return inputs;
}

std::string json(const CalibrationRequest& request, const Calibration& calibration) {
  const auto runs = machine_columns(run_columns);
  const auto values = machine_columns(value_columns);
  const Problem& first = request.runs.front().problem;
  Json document = document_head("calibrate");
  document["conventions"] = conventions_json(first.workload);
  document["workload"] = workload_json(first.wafer, first.workload);
  document["assumptions"] = Json::object();
  for (const Wafer& wafer : calibration.wafers)
    document["assumptions"][wafer.name] = hardware_assumptions_json(wafer);
  document["inputs"] = inputs_json(request);
  document["rows"] = to_json(machine_grid<RunLine>(runs, run_lines(request, calibration)));
  document["parameters"] = to_json(machine_grid<ValueLine>(values, value_lines(calibration)));
  const auto summary = [](const ErrorSummary& s) { return Json{{"mean", s.mean}, {"worst", s.worst}}; };
  document["residual_error"] = summary(calibration.residual);
  document["left_out_error"] = calibration.left_out ? summary(*calibration.left_out) : Json();
  document["degrees_of_freedom"] = calibration.fit.degrees_of_freedom;
  document["scatter"] = to_json(cell(calibration.fit.scatter));
  document["confidence"] = request.confidence;
  document["correlation"] = calibration.fit.correlation;
  document["misfit_of_batches"] = calibration.resident.misfit;
  return write_json(document);
}

}  // namespace

std::string write_calibration(const CalibrationRequest& request, const Calibration& calibration,
                              Format format) {
  const std::vector<RunLine> runs = run_lines(request, calibration);
  const std::vector<ValueLine> values = value_lines(calibration);
  std::string text;
  switch (format) {
    case Format::csv:
      return write_csv(machine_grid<RunLine>(run_columns, runs));
    case Format::json:
      return json(request, calibration);
    case Format::markdown:
      return markdown_heading(heading(request)) + "\n" +
             write_markdown(text_grid<RunLine>(run_columns, runs)) + "\n" +
             write_markdown(text_grid<ValueLine>(value_columns, values)) + "\n" +
             markdown_list(notes_of(request, calibration));
    case Format::table:
      break;
  }
  text = heading(request) + "\n" + write_text_table(text_grid<RunLine>(run_columns, runs)) + "\n" +
         write_text_table(text_grid<ValueLine>(value_columns, values)) + "\n";
  for (const std::string& note : notes_of(request, calibration)) text += write_paragraph(note);
  return text;
}

}  // namespace bta
