#include "report/verify_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/context.h"
#include "report/csv.h"
#include "report/document.h"
#include "report/markdown.h"
#include "report/text_table.h"
#include "report/verify_columns.h"

namespace bta {
namespace {

using verify::Check;
using verify::Request;
using verify::Verification;

constexpr std::size_t line_width = 110;  // of what is printed for people
constexpr std::size_t claim_width = 46;  // longer claims take more lines
constexpr std::size_t claim_column = 1;  // of people's columns
constexpr std::string_view table_indent = "  ";

struct Totals {
  std::int64_t held = 0, claims = 0, compared = 0;
};

Totals totals_of(const Verification& verification) {
  Totals totals;
  for (const Check& check : verification.checks) {
    totals.held += check.passed() ? 1 : 0;
    ++totals.claims;
    totals.compared = checked_add(totals.compared, check.compared);
  }
  return totals;
}

std::string closing_line(const Verification& verification) {
  const Totals totals = totals_of(verification);
  return fmt::format("{} of {} ({} compared)", grouped(totals.held),
                     plural(totals.claims, "claim") + (totals.claims == 1 ? " holds" : " hold"),
                     plural(totals.compared, "value"));
}

std::string tiling_text(const std::optional<Tiling>& tiling) {
  return tiling ? fmt::format(", B = {}, G = {}", tiling->tile_batch, tiling->tiles) : "";
}

std::string heading(const Request& request) {
  const Problem& problem = request.problem;
  const std::string run =
      request.shape_only
          ? "shapes alone, at full size"
          : fmt::format("seed {}, {}", request.seed, plural(request.random_cases, "random configuration"));
  return heading_lines(problem.model, problem.wafer, problem.workload) + run + tiling_text(request.tiling) +
         "\n";
}

std::vector<std::string> notes_of(const Verification& verification, const Problem& problem) {
  std::vector<std::string> notes = verification.notes;
  for (const std::string& note : problem.model.notes) notes.push_back("model: " + note);
  std::ranges::move(assumption_notes(problem.wafer, problem.workload), std::back_inserter(notes));
  return notes;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    lines.push_back(text.substr(at, text.find('\n', at) - at));
  return lines;
}

/// A row with its claim broken over as many lines as it needs.
std::vector<std::vector<std::string>> broken(std::vector<std::string> row) {
  const std::vector<std::string> claim = lines_of(write_paragraph(row[claim_column], "", "", claim_width));
  std::vector<std::vector<std::string>> rows(claim.size(), std::vector<std::string>(row.size()));
  rows.front() = std::move(row);
  for (std::size_t i = 0; i < claim.size(); ++i) rows[i][claim_column] = claim[i];
  return rows;
}

/// The checks in one table, so that they share its widths: the heading, then the lines of every check.
struct Table {
  std::string heading;
  std::vector<std::string> checks;
};

/// `heights`: lines of the heading, then of every check.
Table split(const std::string& text, const std::vector<std::size_t>& heights) {
  const std::vector<std::string> lines = lines_of(text);
  std::vector<std::string> parts;
  std::size_t line = 0;
  for (const std::size_t height : heights) {
    std::string& part = parts.emplace_back();
    for (const std::size_t end = line + height; line < end; ++line) part += lines[line] + "\n";
  }
  return {parts.front(), {parts.begin() + 1, parts.end()}};
}

Table table_of(const std::vector<Check>& checks) {
  TextGrid grid = text_grid(people_check_columns(), checks);
  std::vector<std::size_t> heights{2};
  std::vector<std::vector<std::string>> rows;
  for (std::vector<std::string>& row : grid.rows) {
    std::vector<std::vector<std::string>> lines = broken(std::move(row));
    heights.push_back(lines.size());
    std::ranges::move(lines, std::back_inserter(rows));
  }
  grid.rows = std::move(rows);
  return split(write_text_table(grid, table_indent), heights);
}

/// Checks of one run together, runs in the order of their first check.
std::vector<Check> by_run(std::vector<Check> checks) {
  std::vector<std::string> runs;
  for (const Check& check : checks)
    if (std::ranges::count(runs, check.about) == 0) runs.push_back(check.about);
  std::ranges::stable_sort(checks, {},
                           [&](const Check& check) { return std::ranges::find(runs, check.about); });
  return checks;
}

/// What stands below a row: how it fails, and its note.
std::string details(const Check& check) {
  const std::string indent(table_indent.size() + 8, ' ');  // below the claim
  std::string text;
  if (!check.passed()) text += write_paragraph(failure_text(check), indent, indent, line_width);
  if (!check.note.empty()) text += write_paragraph(check.note, indent, indent, line_width);
  return text;
}

std::string checks_table(const Verification& verification) {
  const std::vector<Check> checks = by_run(verification.checks);
  const Table table = table_of(checks);
  std::string text = table.heading;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    if (i == 0 || checks[i].about != checks[i - 1].about)
      text += (i == 0 ? "" : "\n") + write_paragraph(checks[i].about, "", "  ", line_width);
    text += table.checks[i] + details(checks[i]);
  }
  return text;
}

std::string verification_table(const Verification& verification, const Request& request) {
  std::string text = heading(request) + "\n" + checks_table(verification) + "\n";
  for (const std::string& note : notes_of(verification, request.problem))
    text += write_paragraph(note, "", "  ", line_width);
  return text + "\n" + closing_line(verification) + "\n";
}

std::string verification_markdown(const Verification& verification, const Request& request) {
  std::vector<std::string> failures;
  for (const Check& check : verification.checks)
    if (!check.passed())
      failures.push_back(fmt::format("failed: {} ({}): {}", check.claim, check.about, failure_text(check)));
  std::string text = markdown_heading(heading(request)) + "\n";
  text += write_markdown(text_grid(markdown_check_columns(), verification.checks)) + "\n";
  if (!failures.empty()) text += markdown_list(failures) + "\n";
  return text + markdown_list(notes_of(verification, request.problem)) + "\n" + closing_line(verification) +
         "\n";
}

Json run_json(const Request& request) {
  const std::optional<Tiling>& tiling = request.tiling;
  return {{"shape_only", request.shape_only},
          {"seed", request.seed},
          {"random_cases", request.shape_only ? Json() : Json(request.random_cases)},
          {"tile_batch", tiling ? Json(tiling->tile_batch) : Json()},
          {"tiles", tiling ? Json(tiling->tiles) : Json()}};
}

std::string verification_json(const Verification& verification, const Request& request) {
  const Totals totals = totals_of(verification);
  Json document = document_head("verify");
  add_context(document, request.problem.model, request.problem.wafer, request.problem.workload);
  document["run"] = run_json(request);
  document["passed"] = verification.passed();
  document["claims"] = totals.claims;
  document["claims_held"] = totals.held;
  document["values_compared"] = totals.compared;
  document["notes"] = verification.notes;
  document["checks"] = to_json(machine_grid(check_columns(), verification.checks));
  return write_json(document);
}

}  // namespace

std::string write_verification(const Verification& verification, const Request& request, Format format) {
  switch (format) {
    case Format::table:
      return verification_table(verification, request);
    case Format::csv:
      return write_csv(machine_grid(check_columns(), verification.checks));
    case Format::json:
      return verification_json(verification, request);
    case Format::markdown:
      return verification_markdown(verification, request);
  }
  return "";
}

}  // namespace bta
