#include <algorithm>

#include "cli/commands.h"
#include "cli/confidence.h"
#include "cli/options.h"
#include "cli/output.h"
#include "plan/confidence.h"
#include "plan/plan.h"
#include "report/plan_report.h"

namespace bta::cli {
namespace {

bool asks_for_default_series(const LevelRequest& levels) {
  return levels.experts.empty() && levels.top_k.empty();
}

void say_notes(const Subject& subject, const OutputOptions& output) {
  if (output.quiet) return;
  if (moe_of(subject.model) && asks_for_default_series(subject.levels) && !subject.levels.iso_active)
    say_note(
        "experts keep the model's width at every top_k; the published series needs --iso-active, which keeps "
        "the "
        "active parameters constant");
}

}  // namespace

ExitCode run_plan(const Arguments& arguments) {
  OptionReader reader(arguments);
  const OutputOptions options = read_output(reader);
  std::optional<Subject> subject = read_subject(reader);
  const std::optional<double> confidence = read_confidence(reader);
  if (subject && confidence && !why_not_sure(subject->wafer).empty())
    reader.error("--confidence", why_not_sure(subject->wafer));
  if (!subject || !reader.found().empty()) return refuse(reader.found());
  const Result<std::vector<Level>> asked = levels(subject->model, subject->levels, subject->workload.routing);
  if (!asked) return refuse(asked.error());
  Result<Output> output = Output::open(options.path);
  if (!output) return refuse(output.error());
  say_notes(*subject, options);

  const bool iso_active = subject->levels.iso_active;
  Plan plan = make_plan({std::move(subject->model), std::move(subject->wafer), std::move(subject->workload),
                         subject->constraints, asked.value(), iso_active});
  if (confidence) add_confidence(plan, *confidence);
  if (!output.value().write(write_plan(plan, options.format))) return ExitCode::failed;
  return std::ranges::none_of(plan.rows, &PlanRow::feasible) ? ExitCode::nothing_feasible : ExitCode::done;
}

}  // namespace bta::cli
