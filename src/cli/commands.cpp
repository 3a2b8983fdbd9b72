#include "cli/commands.h"

#include <algorithm>

#include "cli/output.h"

namespace bta::cli {

const std::vector<Command>& commands() {
  using enum Group;
  static const std::vector<Command> all = {
      {"plan",
       "",
       "for every sparsity level the best tiling, its throughput, and what binds (also without a command)",
       {inputs, workload, levels, constraints, confidence, output, about},
       {},
       run_plan},
      {"explain",
       "",
       "one point in full: operators, time by resource, memory by tensor, the ridge",
       {point, inputs, workload, levels, constraints, output, about},
       {},
       run_explain},
      {"verify",
       "",
       "runs the reference executor and compares it with the closed forms, claim by claim",
       {verification, inputs, workload, levels, output, about},
       {"--tile-batch", "--tiles"},
       run_verify},
      {"calibrate",
       "MEASURED.csv",
       "fits the hardware's free parameters to measured runs; residuals, leave-one-out error, intervals",
       {calibration, output, about},
       {"--hardware", "--set", "--confidence", "--seq-len", "--mask", "--attention", "--checkpoint",
        "--placement", "--precision", "--activation-bytes", "--weight-bytes", "--gradient-bytes",
        "--score-bytes", "--quantile", "--head-chunk"},
       run_calibrate},
      {"import",
       "NAME|FILE",
       "a Hugging Face config.json, or any model, as this project's YAML",
       {about},
       {"--set", "--output", "--quiet"},
       run_import,
       true},
      {"list", "[models|hardware]", "what is built in", {output, about}, {}, run_list},
      {"show",
       "NAME|FILE",
       "one model with its parameter counts, or one hardware with every source",
       {description, output, about},
       {"--set", "--precision", "--weight-bytes"},
       run_show},
  };
  return all;
}

std::vector<OptionRow> options_of(const Command& command) {
  std::vector<OptionRow> rows;
  for (const OptionRow& row : option_table())
    if (std::ranges::count(command.more_options, long_name(row)) > 0) rows.push_back(row);
  const std::vector<OptionRow> grouped = options_of(command.groups);
  rows.insert(rows.end(), grouped.begin(), grouped.end());
  for (OptionRow& row : rows)
    if (command.models_only && long_name(row) == "--set")
      row.meaning = "overrides one field: model.KEY=VALUE; may be repeated";
  return rows;
}

ExitCode refuse(const Diagnostics& errors) {
  say_errors(errors);
  return ExitCode::unusable;
}

}  // namespace bta::cli
