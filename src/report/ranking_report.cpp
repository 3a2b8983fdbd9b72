#include "report/ranking_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "report/context.h"
#include "report/csv.h"
#include "report/document.h"
#include "report/explain_parts.h"
#include "report/explain_report.h"
#include "report/markdown.h"
#include "report/text_table.h"

namespace bta {
namespace {

/// How much of the best point's time per token a phase takes more (or less) at another point.
struct PhasePart {
  PhaseKind kind;
  double part;
};

std::map<PhaseKind, double> seconds_per_token(const Explanation& e) {
  std::map<PhaseKind, double> seconds;
  for (const PhaseTime& phase : e.step.phases)
    seconds[phase.kind] += phase.timed.seconds / as_double(tokens_of(e));
  return seconds;
}

std::vector<PhasePart> phase_parts(const Explanation& e, const Explanation& best) {
  const std::map<PhaseKind, double> reference = seconds_per_token(best);
  const double whole = best.step.seconds / as_double(tokens_of(best));
  std::vector<PhasePart> parts;
  for (const auto& [kind, seconds] : seconds_per_token(e)) {
    const auto found = reference.find(kind);
    parts.push_back({kind, (seconds - (found == reference.end() ? 0 : found->second)) / whole});
  }
  std::ranges::stable_sort(parts, std::ranges::greater{},
                           [](const PhasePart& p) { return std::abs(p.part); });
  return parts;
}

std::string why_slower(const Explanation& e, const Explanation& best) {
  std::string text;
  for (const PhasePart& part : phase_parts(e, best)) {
    if (std::abs(part.part) < 5e-7 || std::ranges::count(text, ',') == 2) break;
    text += fmt::format("{}{} {:+.4f} %", text.empty() ? "" : ", ", phase_name(part.kind), 100 * part.part);
  }
  if (!text.empty()) return text;
  return e.tiling == best.tiling ? "" : "a tie: more memory, or more tiles at the same memory";
}

struct RankLine {
  const Ranking* ranking;
  std::size_t index;
  const Explanation& point() const { return ranking->points[index]; }
  const Explanation& best() const { return ranking->points.front(); }
};

constexpr auto rank_columns = std::to_array<Column<RankLine>>({
    {"rank", "rank", "", Look::count,
     [](const RankLine& l) { return Cell(static_cast<std::int64_t>(l.index) + 1); }},
    {"tile_batch", "B", "", Look::count, [](const RankLine& l) { return cell(l.point().tiling.tile_batch); }},
    {"tiles", "G", "", Look::count, [](const RankLine& l) { return cell(l.point().tiling.tiles); }},
    {"micro_batch", "B*G", "", Look::count,
     [](const RankLine& l) { return cell(micro_batch(l.point().tiling).value); }},
    {"tokens_per_s", "tokens/s", "", Look::count,
     [](const RankLine& l) { return cell(l.point().tokens_per_s); }},
    {"loss", "", "", Look::percent,
     [](const RankLine& l) { return cell(1 - l.point().tokens_per_s / l.best().tokens_per_s); }},
    {"step_s", "step", "", Look::seconds, [](const RankLine& l) { return cell(l.point().step.seconds); }},
    {"bound", "bound", "", Look::text, [](const RankLine& l) { return text_or_absent(l.point().bound); }},
    {"memory_bytes", "memory", "GB", Look::giga,
     [](const RankLine& l) { return cell(l.point().peak.bytes); }},
    {"why", "time per token against the best", "", Look::text,
     [](const RankLine& l) { return text_or_absent(why_slower(l.point(), l.best())); }},
});

std::vector<RankLine> rank_lines(const Ranking& ranking) {
  std::vector<RankLine> lines;
  for (std::size_t i = 0; i < ranking.points.size(); ++i) lines.push_back({&ranking, i});
  return lines;
}

std::string next_note(const Ranking& ranking) {
  if (ranking.points.size() <= ranking.shown) return "no other point fits";
  const Explanation& next = ranking.points[ranking.shown];
  return fmt::format("the next one, B = {}, G = {}, loses {:.4f} % of the best: {}", next.tiling.tile_batch,
                     next.tiling.tiles, 100 * (1 - next.tokens_per_s / ranking.points.front().tokens_per_s),
                     why_slower(next, ranking.points.front()));
}

std::string ranking_table(const Ranking& ranking) {
  const Explanation& best = ranking.points.front();
  std::vector<RankLine> lines = rank_lines(ranking);
  lines.resize(std::min(lines.size(), ranking.shown));
  return heading_lines(best.problem.model, best.problem.wafer, best.problem.workload) + "\n" +
         write_text_table(text_grid<RankLine>(rank_columns, lines)) + "\n" +
         write_paragraph(next_note(ranking)) + "\nThe best in full\n\n" +
         write_explanation(best, Format::table);
}

Json ranking_json(const Ranking& ranking) {
  Json rows = to_json(machine_grid<RankLine>(rank_columns, rank_lines(ranking)));
  for (std::size_t i = 0; i < ranking.points.size(); ++i) {
    Json parts = Json::array();
    for (const PhasePart& part : phase_parts(ranking.points[i], ranking.points.front()))
      parts.push_back({{"phase", phase_name(part.kind)}, {"loss_part", to_json(cell(part.part))}});
    rows[i]["loss_by_phase"] = std::move(parts);
    rows[i]["next"] = i >= ranking.shown;
  }
  return rows;
}

std::string ranking_document(const Ranking& ranking) {
  const Explanation& best = ranking.points.front();
  Json document = document_head("explain");
  add_context(document, best.problem.model, best.problem.wafer, best.problem.workload);
  document["ranking"] = ranking_json(ranking);
  document.update(explanation_json(best));
  document["points"] = Json::array();
  for (std::size_t i = 0; i < std::min(ranking.shown, ranking.points.size()); ++i)
    document["points"].push_back(explanation_json(ranking.points[i]));
  return write_json(document);
}

constexpr auto front_columns = std::to_array<Column<Candidate>>({
    {"tile_batch", "B", "", Look::count, [](const Candidate& c) { return cell(c.tiling.tile_batch); }},
    {"tiles", "G", "", Look::count, [](const Candidate& c) { return cell(c.tiling.tiles); }},
    {"micro_batch", "B*G", "", Look::count,
     [](const Candidate& c) { return cell(micro_batch(c.tiling).value); }},
    {"tokens_per_s", "tokens/s", "", Look::count, [](const Candidate& c) { return cell(c.tokens_per_s); }},
    {"step_s", "step", "", Look::seconds, [](const Candidate& c) { return cell(c.step_s); }},
    {"memory_bytes", "memory", "GB", Look::giga, [](const Candidate& c) { return cell(c.peak); }},
});

}  // namespace

std::string write_ranking(const Ranking& ranking, Format format) {
  switch (format) {
    case Format::table:
      return ranking_table(ranking);
    case Format::csv:
      return write_csv(machine_grid<RankLine>(rank_columns, rank_lines(ranking)));
    case Format::json:
      return ranking_document(ranking);
    case Format::markdown:
      return write_markdown(text_grid<RankLine>(rank_columns, rank_lines(ranking))) + "\n" +
             markdown_list({next_note(ranking)});
  }
  return "";
}

std::string write_pareto_front(const Problem& problem, const std::vector<Candidate>& front, Format format) {
  const std::string heading = heading_lines(problem.model, problem.wafer, problem.workload);
  Json document = document_head("explain");
  switch (format) {
    case Format::table:
      return heading + "Pareto front of tokens/s against memory\n\n" +
             write_text_table(text_grid<Candidate>(front_columns, front));
    case Format::csv:
      return write_csv(machine_grid<Candidate>(front_columns, front));
    case Format::markdown:
      return markdown_heading(heading) + "\n" + write_markdown(text_grid<Candidate>(front_columns, front));
    case Format::json:
      break;
  }
  add_context(document, problem.model, problem.wafer, problem.workload);
  document["pareto_front"] = to_json(machine_grid<Candidate>(front_columns, front));
  return write_json(document);
}

}  // namespace bta
