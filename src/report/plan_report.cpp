#include "report/plan_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "calibrate/sample.h"
#include "plan/confidence.h"
#include "report/context.h"
#include "report/csv.h"
#include "report/document.h"
#include "report/markdown.h"
#include "report/people.h"
#include "report/plan_columns.h"
#include "report/text_table.h"

namespace bta {
namespace {

std::string row_name(const PlanRow& row, const Model& model) {
  return row.level ? fmt::format("{} experts, top_k {}", row.level->experts, row.level->top_k) : model.name;
}

std::string memory_note(const Plan& plan) {
  return fmt::format("memory limit: {}", bytes_text(as_double(plan.rows.front().memory_limit)));
}

/// "1.16x to 5.72x" over the rows that have the value; empty when none has.
std::string range_text(const Plan& plan, std::optional<double> PlanRow::*member) {
  std::vector<double> values;
  for (const PlanRow& row : plan.rows)
    if (row.*member) values.push_back(*(row.*member));
  if (values.empty()) return "";
  const auto [least, most] = std::ranges::minmax(values);
  const std::string low = fmt::format("{:.2f}x", least), high = fmt::format("{:.2f}x", most);
  return low == high ? low : low + " to " + high;
}

/// How much hangs on score tensors being resident: evidence on that conflicts (docs/model.md).
std::string resident_scores_note(const Plan& plan) {
  const std::string blocked = range_text(plan, &PlanRow::blocked_speedup),
                    resident = range_text(plan, &PlanRow::speedup);
  if (blocked.empty()) return "";
  return fmt::format(
      "resident scores decide the speedup: {}, but {} with a kernel that keeps none (--attention blocked)",
      resident.empty() ? "nothing fits" : resident, blocked);
}

/// One note for each reason, with the rows it holds for.
std::vector<std::string> infeasible_notes(const Plan& plan) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const PlanRow& row : plan.rows) {
    if (row.feasible()) continue;
    auto found = std::ranges::find(reasons, row.reason, [](const auto& entry) { return entry.first; });
    if (found == reasons.end()) found = reasons.insert(reasons.end(), {row.reason, {}});
    found->second.push_back(row_name(row, plan.request.model));
  }
  std::vector<std::string> notes;
  for (const auto& [reason, rows] : reasons) {
    const bool everywhere = rows.size() > 1 && rows.size() == plan.rows.size();
    notes.push_back(fmt::format(
        "infeasible: {}: {}", everywhere ? "every level" : fmt::format("{}", fmt::join(rows, "; ")), reason));
  }
  return notes;
}

/// Calibrated numbers that the draws do not vary.
std::string taken_as_exact(const Wafer& wafer) {
  const std::vector<std::string_view> drawn = drawn_parameters(wafer);
  std::string exact;
  for (const SourcedNumber& number : wafer.numbers)
    if (number.kind == "calibrated" && std::ranges::count(drawn, number.key) == 0)
      exact += (exact.empty() ? "" : ", ") + number.key;
  return exact;
}

/// What the intervals hold for, and where the plan's order or choice is not sure.
std::vector<std::string> confidence_notes(const Plan& plan) {
  const std::optional<CalibrationRecord>& record = plan.request.wafer.calibration;
  if (!plan.confidence || !record) return {};
  std::vector<std::string> notes = {
      fmt::format("intervals hold with probability {} for {} ({} draws); a single run scatters by {} about "
                  "the fit on top; "
                  "flips: draws, of {}, in which another (B, G) is more than {} faster",
                  plan.confidence->confidence, fmt::join(drawn_parameters(plan.request.wafer), ", "),
                  grouped(plan.confidence->samples), percent_text(record->scatter), searched_samples,
                  percent_text(flip_margin))};
  if (const std::string exact = taken_as_exact(plan.request.wafer); !exact.empty())
    notes.push_back("taken as exact in the intervals, for want of a standard error: " + exact);
  for (const OrderFlip& flip : plan.confidence->order)
    notes.push_back(fmt::format("order not sure: {} is faster than {} in {} of the draws",
                                row_name(plan.rows[flip.slower], plan.request.model),
                                row_name(plan.rows[flip.faster], plan.request.model),
                                percent_text(flip.share)));
  for (const PlanRow& row : plan.rows)
    if (row.confidence && row.confidence->flips > (1 - plan.confidence->confidence) / 2)
      notes.push_back(fmt::format("choice not sure: {}: another (B, G) is faster in {} of the draws",
                                  row_name(row, plan.request.model), percent_text(row.confidence->flips)));
  return notes;
}

/// For people: the intervals below the plan; empty when they were not asked for.
std::vector<TextGrid> tables_of(const Plan& plan) {
  std::vector<TextGrid> tables = {text_grid(plan_columns(), lines_of(plan))};
  if (plan.confidence) tables.push_back(text_grid(people_confidence_columns(), lines_of(plan)));
  return tables;
}

std::vector<Column<PlanLine>> columns_of(const Plan& plan) {
  std::vector<Column<PlanLine>> columns(plan_columns().begin(), plan_columns().end());
  if (plan.confidence) std::ranges::copy(confidence_columns(), std::back_inserter(columns));
  return columns;
}

std::vector<std::string> notes_of(const Plan& plan) {
  const PlanRequest& asked = plan.request;
  std::vector<std::string> notes = infeasible_notes(plan);
  std::ranges::move(confidence_notes(plan), std::back_inserter(notes));
  if (!plan.rows.empty()) notes.push_back(memory_note(plan));
  if (std::string scores = resident_scores_note(plan); !scores.empty()) notes.push_back(std::move(scores));
  if (asked.iso_active)
    notes.emplace_back("iso-active: the width follows k, so that active parameters stay constant");
  for (const std::string& note : asked.model.notes) notes.push_back("model: " + note);
  std::ranges::move(assumption_notes(asked.wafer, asked.workload), std::back_inserter(notes));
  notes.emplace_back(
      "1 multiply-add = 2 FLOPs; GB = 1e9 bytes; E experts, k per token, B sequences per attention tile, "
      "G tiles; unif.: G = 1; dense: k = E; of peak: hardware FLOPs over the published dense peak");
  return notes;
}

std::string plan_table(const Plan& plan) {
  const PlanRequest& asked = plan.request;
  std::string text = heading_lines(asked.model, asked.wafer, asked.workload) + "\n";
  for (const TextGrid& table : tables_of(plan)) text += write_text_table(table) + "\n";
  for (const std::string& note : notes_of(plan)) text += write_paragraph(note);
  return text;
}

std::string plan_markdown(const Plan& plan) {
  const PlanRequest& asked = plan.request;
  std::string text = markdown_heading(heading_lines(asked.model, asked.wafer, asked.workload)) + "\n";
  for (const TextGrid& table : tables_of(plan)) text += write_markdown(table) + "\n";
  return text + markdown_list(notes_of(plan));
}

std::string plan_csv(const Plan& plan) {
  std::vector<Column<PlanLine>> columns = columns_of(plan);
  columns.push_back(assumptions_column());
  return write_csv(machine_grid<PlanLine>(columns, lines_of(plan)));
}

Json confidence_json(const Plan& plan) {
  Json order = Json::array();
  for (const OrderFlip& flip : plan.confidence->order)
    order.push_back({{"row", flip.faster}, {"overtaken_by_row", flip.slower}, {"share", flip.share}});
  return {{"confidence", plan.confidence->confidence},
          {"samples", plan.confidence->samples},
          {"flip_margin", flip_margin},
          {"scatter", plan.request.wafer.calibration->scatter},
          {"order_flips", std::move(order)}};
}

std::string plan_json(const Plan& plan) {
  const PlanRequest& asked = plan.request;
  Json document = document_head("plan");
  add_context(document, asked.model, asked.wafer, asked.workload);
  document["rows"] = to_json(machine_grid<PlanLine>(columns_of(plan), lines_of(plan)));
  if (plan.confidence) document["confidence"] = confidence_json(plan);
  return write_json(document);
}

}  // namespace

std::string write_plan(const Plan& plan, Format format) {
  switch (format) {
    case Format::table:
      return plan_table(plan);
    case Format::csv:
      return plan_csv(plan);
    case Format::json:
      return plan_json(plan);
    case Format::markdown:
      return plan_markdown(plan);
  }
  return "";
}

}  // namespace bta
