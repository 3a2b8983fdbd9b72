// Do --help and docs/cli.md say what the option table says?
#include <doctest/doctest.h>

#include "cli/commands.h"
#include "support/program.h"

namespace {

using bta::cli_test::read_file;
using bta::cli_test::run;
using namespace bta::cli;

std::string in_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const char plain = c == '\n' ? ' ' : c;
    if (plain != ' ' || line.empty() || line.back() != ' ') line += plain;
  }
  return line;
}

/// Pipes inside a cell of a Markdown table need a backslash.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

std::string documented(const OptionRow& row) {
  const std::size_t comma = row.flags.find(',');
  std::string flags = comma == std::string::npos
                          ? row.flags
                          : row.flags.substr(0, comma) + ", " + row.flags.substr(comma + 1);
  if (!row.value.empty()) flags += " " + row.value;
  return "| `" + escaped(flags) + "` | " + escaped(row.fallback) + " | " + row.unit + " | " +
         escaped(row.meaning) + " |\n";
}

TEST_SUITE_BEGIN("help");

TEST_CASE("docs/cli.md holds the table of options, row by row") {
  std::string table = "| option | default | unit | meaning |\n| --- | --- | --- | --- |\n";
  for (const OptionRow& row : option_table()) table += documented(row);
  const std::string page = read_file(BTA_SOURCE_DIR "/docs/cli.md");
  CHECK_MESSAGE(page.find(table) != std::string::npos, "docs/cli.md should hold:\n" << table);
}

TEST_CASE("every command's help has each of its options with default, unit and meaning") {
  for (const Command& command : commands()) {
    const std::string help = in_one_line(run({std::string(command.name), "--help"}).out);
    for (const OptionRow& row : options_of(command)) {
      CAPTURE(row.flags);
      CHECK(help.find(long_name(row)) != std::string::npos);
      const std::string unit = row.unit.empty() ? "" : row.unit + "; ";
      CHECK(help.find(in_one_line(row.meaning + " [" + unit + "default: " + row.fallback + "]")) !=
            std::string::npos);
    }
  }
}

TEST_CASE("import, which refuses to change hardware, does not offer it") {
  const std::string help = in_one_line(run({"import", "--help"}).out);
  CHECK(help.find("overrides one field: model.KEY=VALUE; may be repeated") != std::string::npos);
  CHECK(help.find("hardware.KEY") == std::string::npos);
  CHECK(in_one_line(run({"show", "--help"}).out).find("hardware.KEY") != std::string::npos);
}

TEST_CASE("every option has a default and a meaning, and belongs to a command") {
  std::string help;
  for (const Command& command : commands()) help += run({std::string(command.name), "--help"}).out;
  for (const OptionRow& row : option_table()) {
    CHECK(!row.fallback.empty());
    CHECK(!row.meaning.empty());
    CHECK(help.find(long_name(row)) != std::string::npos);
  }
}

TEST_CASE("a default written out means the same as none") {
  const std::string plain = run({"--format", "csv", "-q"}).out;
  for (const OptionRow& row : options_of({Group::inputs, Group::workload})) {
    const bool is_value = row.fallback.find(' ') == std::string::npos && row.fallback != "none";
    if (is_value) CHECK(run({"--format", "csv", "-q", long_name(row), row.fallback}).out == plain);
  }
}

TEST_SUITE_END();

}  // namespace
