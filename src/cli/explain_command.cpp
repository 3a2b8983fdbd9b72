#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/point.h"
#include "plan/explain.h"
#include "plan/infeasible.h"
#include "plan/search.h"
#include "report/explain_report.h"
#include "report/ranking_report.h"
#include "report/sensitivity_report.h"

namespace bta::cli {
namespace {

struct PointOptions {
  std::optional<Tiling> tiling;
  std::optional<std::int64_t> top;
  bool pareto = false;
  bool sensitivity = false;
};

PointOptions read_point(OptionReader& reader) {
  PointOptions point{read_tiling(reader), reader.integer("--top", {1, 1000}), reader.has("--pareto"),
                     reader.has("--sensitivity")};
  if (point.tiling && (reader.has("--top") || point.pareto))
    reader.error(point.pareto ? "--pareto" : "--top",
                 "compares points, so it goes without -B, -G and --micro-batch");
  if (reader.has("--top") && point.pareto) reader.error("--pareto", "goes without --top");
  if (point.sensitivity && (reader.has("--top") || point.pareto))
    reader.error("--sensitivity", fmt::format("is that of one point, so it goes without {}",
                                              point.pareto ? "--pareto" : "--top"));
  return point;
}

/// What is printed, and whether anything was feasible.
struct Answer {
  std::string text;
  bool feasible = true;
  std::string reason;  // why the point asked for is infeasible; empty when it is not
};

std::string about_one_point(const Problem& problem, const Constraints& constraints, Tiling tiling,
                            const PointOptions& point, Format format) {
  return point.sensitivity ? write_sensitivity(sensitivity(problem, constraints, tiling), format)
                           : write_explanation(explain(problem, constraints, tiling), format);
}

Answer explain_best(const Problem& problem, const Constraints& constraints, const PointOptions& point,
                    Format format) {
  const auto wanted = static_cast<std::size_t>(point.top.value_or(0));
  const SearchResult result = search(problem, constraints, {.top = wanted + 1});
  if (result.best.empty()) return {about_one_point(problem, constraints, {1, 1}, point, format), false};
  if (wanted == 0) return {about_one_point(problem, constraints, result.best.front().tiling, point, format)};
  Ranking ranking{{}, wanted};
  for (const Candidate& candidate : result.best)
    ranking.points.push_back(explain(problem, constraints, candidate.tiling));
  return {write_ranking(ranking, format)};
}

/// The front is made from every feasible point; beyond this micro-batch they are too many.
constexpr std::int64_t largest_front = 20'000;

Diagnostics refuse_endless_front(const Problem& problem, const Constraints& constraints,
                                 const PointOptions& point) {
  if (!point.pareto) return {};
  const std::int64_t largest = largest_feasible_micro_batch(problem, constraints);
  if (largest <= largest_front) return {};
  return {
      option_error("--pareto", fmt::format("micro-batches up to {} fit, too many points for a front; give "
                                           "--max-micro-batch {} or less",
                                           largest, largest_front))};
}

Answer answer(const Problem& problem, const Constraints& constraints, const PointOptions& point,
              Format format) {
  if (point.tiling)
    return {about_one_point(problem, constraints, *point.tiling, point, format), true,
            why_infeasible(problem, constraints, *point.tiling)};
  if (!point.pareto) return explain_best(problem, constraints, point, format);
  std::vector<Candidate> candidates = all_feasible(problem, constraints);
  sort_best_first(candidates);
  const bool feasible = !candidates.empty();
  return {write_pareto_front(problem, pareto_front(std::move(candidates)), format), feasible};
}

}  // namespace

ExitCode run_explain(const Arguments& arguments) {
  OptionReader reader(arguments);
  const OutputOptions options = read_output(reader);
  const PointOptions point = read_point(reader);
  std::optional<Subject> subject = read_subject(reader);
  if (!subject) return refuse(reader.found());
  Result<Model> model = model_at_level(subject->model, subject->levels, subject->workload.routing, "explain");
  if (!model) return refuse(model.error());
  Result<Output> output = Output::open(options.path);
  if (!output) return refuse(output.error());

  const Problem problem =
      make_problem(std::move(model).value(), std::move(subject->wafer), std::move(subject->workload));
  if (const Diagnostics errors = refuse_endless_front(problem, subject->constraints, point); !errors.empty())
    return refuse(errors);
  const Answer found = answer(problem, subject->constraints, point, options.format);
  if (!found.feasible && !options.quiet)
    say_note("nothing is feasible: " + why_nothing_fits(problem, subject->constraints));
  if (options.format == Format::csv && !found.reason.empty() && !options.quiet)
    say_note("this point is infeasible: " + found.reason);
  if (!output.value().write(found.text)) return ExitCode::failed;
  return found.feasible ? ExitCode::done : ExitCode::nothing_feasible;
}

}  // namespace bta::cli
