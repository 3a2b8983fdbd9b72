// The commands: one file each. A command reads its options, checks them, runs, and writes the result.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/exit_code.h"

namespace bta::cli {

struct Command {
  std::string_view name;
  std::string_view words;  // what follows the name besides options
  std::string_view summary;
  std::vector<Group> groups;                   // of its options
  std::vector<std::string_view> more_options;  // single ones of other groups
  ExitCode (*run)(const Arguments&);
  bool models_only = false;  // --set changes no hardware
};
const std::vector<Command>& commands();
std::vector<OptionRow> options_of(const Command& command);

ExitCode run_plan(const Arguments& arguments);
ExitCode run_explain(const Arguments& arguments);
ExitCode run_verify(const Arguments& arguments);
ExitCode run_calibrate(const Arguments& arguments);
ExitCode run_import(const Arguments& arguments);
ExitCode run_list(const Arguments& arguments);
ExitCode run_show(const Arguments& arguments);

/// The page of one command, or of all of them.
std::string help_of(const Command& command);
std::string overall_help();

/// Tells the errors; the exit code they mean.
ExitCode refuse(const Diagnostics& errors);

}  // namespace bta::cli
