// Is the output the same in every locale and from every folder?
#include <doctest/doctest.h>

#include <clocale>
#include <cstdlib>

#include "support/program.h"

namespace {

using bta::cli_test::run;
using bta::cli_test::run_process;
using bta::cli_test::TemporaryFolder;
using Words = std::vector<std::string>;

const std::vector<Words> commands = {{"--quantile", "0.85", "--iso-active", "--format", "csv", "-q"},
                                     {"--routing", "zipf:0.5", "--experts", "64", "-q"},
                                     {"explain", "-B", "3", "--format", "json"},
                                     {"explain", "-B", "3"},
                                     {"explain", "-B", "3", "--format", "markdown"},
                                     {"show", "cerebras-cs2"},
                                     {"--quantile", "0,85"}};

void check_same_under(const std::string& folder, const std::string& locale) {
  for (const Words& words : commands) {
    CAPTURE(locale);
    const auto plain = run(words);
    const auto local =
        run_process(words, {.variables = {{"LOCPATH", folder}, {"LC_ALL", locale}, {"LANG", locale}}});
    CHECK(local.out == plain.out);
    CHECK(local.err == plain.err);
    CHECK(local.code == plain.code);
  }
}

TEST_SUITE_BEGIN("locale");

TEST_CASE("de_DE changes nothing: point as decimal mark, 0,85 refused") {
  check_same_under(BTA_TEST_LOCPATH, "de_DE.UTF-8");
  CHECK(run({"--quantile", "0,85"}).code == 2);
}

TEST_CASE("fr_FR changes nothing") {
  const TemporaryFolder folder;
  const std::string command = "localedef -i fr_FR -f UTF-8 " + folder.path("fr_FR.UTF-8");
  REQUIRE_MESSAGE(std::system(command.c_str()) == 0, command);
  check_same_under(folder.path(""), "fr_FR.UTF-8");
}

TEST_CASE("another folder changes nothing") {
  const TemporaryFolder folder;
  for (const Words& words : commands)
    CHECK(run_process(words, {.folder = folder.path("")}).out == run(words).out);
}

TEST_CASE("NO_COLOR changes nothing, for there is no colour") {
  const auto result = run_process({"-q"}, {.variables = {{"NO_COLOR", "1"}}});
  CHECK(result.out == run({"-q"}).out);
  CHECK(result.out.find('\x1b') == std::string::npos);
}

TEST_SUITE_END();

}  // namespace
