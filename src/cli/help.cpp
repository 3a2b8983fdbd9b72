#include <fmt/format.h>

#include <algorithm>

#include "cli/commands.h"
#include "report/text_table.h"

namespace bta::cli {
namespace {

constexpr std::size_t option_column = 34;

std::string flags_of(const OptionRow& row) {
  const std::size_t comma = row.flags.find(',');
  std::string flags = comma == std::string::npos
                          ? "    " + row.flags
                          : row.flags.substr(0, comma) + ", " + row.flags.substr(comma + 1);
  if (!row.value.empty()) flags += " " + row.value;
  return flags;
}

std::string option_help(const OptionRow& row) {
  const std::string flags = "  " + flags_of(row);
  const std::string indent(option_column, ' ');
  const std::string text =
      fmt::format("{} [{}default: {}]", row.meaning, row.unit.empty() ? "" : row.unit + "; ", row.fallback);
  if (flags.size() + 2 > option_column) return flags + "\n" + write_paragraph(text, indent, indent);
  return write_paragraph(text, fmt::format("{:<{}}", flags, option_column), indent);
}

/// Rows under the titles of their groups.
std::string options_help(const std::vector<OptionRow>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 0 || rows[i].group != rows[i - 1].group)
      text += fmt::format("\n{}\n", group_title(rows[i].group));
    text += option_help(rows[i]);
  }
  return text;
}

std::string spaced(std::string_view text) {
  return text.empty() ? "" : " " + std::string(text);
}

}  // namespace

std::string help_of(const Command& command) {
  std::string text = fmt::format("bta-plan {}: {}\n\nusage: bta-plan {}{} [OPTION]...\n", command.name,
                                 command.summary, command.name, spaced(command.words));
  return text + options_help(options_of(command));
}

std::string overall_help() {
  std::string text =
      "bta-plan: the best batch tiling for training mixture-of-experts models on wafer-scale chips\n\n"
      "usage: bta-plan [COMMAND] [OPTION]...\n\nCommands\n";
  for (const Command& command : commands())
    text += write_paragraph(command.summary,
                            fmt::format("  {:<26}", fmt::format("{}{}", command.name, spaced(command.words))),
                            std::string(28, ' '));
  text +=
      "\n'bta-plan COMMAND --help' lists the options of a command. Those of plan, which needs no command "
      "word:\n";
  text += options_help(options_of(commands().front()));
  text +=
      "\nExit codes: 0 done, 1 a check or a write failed, 2 unusable input or usage, 3 nothing feasible\n";
  return text;
}

}  // namespace bta::cli
