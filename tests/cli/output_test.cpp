// Does a result arrive whole or not at all?
#include "cli/output.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "support/program.h"

namespace {

using namespace bta::cli_test;
using Words = std::vector<std::string>;

const Words quick = {"explain", "-B", "3", "--format", "csv"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_SUITE_BEGIN("output");

TEST_CASE("a file is there only when its text is whole: a run that is interrupted leaves nothing") {
  const TemporaryFolder folder;
  auto output = bta::cli::Output::open(folder.path("a.csv"));
  REQUIRE(output);
  CHECK(folder.names().empty());
  CHECK(output.value().write("whole"));
  CHECK(folder.names() == std::vector<std::string>{"a.csv"});
}

TEST_CASE("-o writes the file and nothing else, - is stdout") {
  const TemporaryFolder folder;
  const auto result = run(with(quick, {"-o", folder.path("a.csv")}));
  CHECK(result.code == 0);
  CHECK(result.out.empty());
  CHECK(folder.names() == Words{"a.csv"});
  CHECK(read_file(folder.path("a.csv")) == run(quick).out);
  CHECK(run(with(quick, {"-o", "-"})).out == run(quick).out);
}

TEST_CASE("a file keeps its mode, a link stays a link") {
  const TemporaryFolder folder;
  write_file(folder.path("a.csv"), "old");
  REQUIRE(::chmod(folder.path("a.csv").c_str(), 0640) == 0);
  std::filesystem::create_symlink(folder.path("a.csv"), folder.path("link"));
  CHECK(run(with(quick, {"-o", folder.path("link")})).code == 0);
  CHECK(std::filesystem::is_symlink(folder.path("link")));
  CHECK(read_file(folder.path("a.csv")) == run(quick).out);
  struct stat status {};
  REQUIRE(::stat(folder.path("a.csv").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777U) == 0640U);
}

TEST_CASE("a run that fails leaves the old file as it was, and no other") {
  const TemporaryFolder folder;
  write_file(folder.path("a.csv"), "old");
  CHECK(run({"--seq-len", "010", "-o", folder.path("a.csv")}).code == 2);
  CHECK(run({"--seq-len", "4503599627370496", "-q", "-o", folder.path("a.csv")}).code == 2);
  CHECK(folder.names() == Words{"a.csv"});
  CHECK(read_file(folder.path("a.csv")) == "old");
}

TEST_CASE("a path that cannot be written is told before the work") {
  CHECK(run(with(quick, {"-o", ""})).code == 2);
  CHECK(run(with(quick, {"-o", ""})).err ==
        "command line: error: --output: is empty; a file name or - is needed\n");
  const auto result = run(with(quick, {"-o", "/nonexistent/a.csv"}));
  CHECK(result.code == 2);
  CHECK(result.err ==
        "command line: error: --output: cannot write /nonexistent/a.csv: No such file or directory\n");
}

TEST_CASE("a full disk is 1 with a message") {
  const auto to_stdout = run_process(quick, {.stdout_file = "/dev/full"});
  CHECK(to_stdout.code == 1);
  CHECK(to_stdout.err == "bta-plan: error: cannot write stdout: No space left on device\n");
  const auto to_file = run(with(quick, {"-o", "/dev/full"}));
  CHECK(to_file.code == 1);
  CHECK(to_file.err == "bta-plan: error: cannot write /dev/full: No space left on device\n");
  CHECK(run_process({"--help"}, {.stdout_file = "/dev/full"}).code == 1);
}

TEST_CASE("a closed pipe ends quietly") {
  for (const Words& words : {quick, Words{"-q"}, Words{"--help"}, Words{"list"}}) {
    const auto result = run_process(words, {.stdout_closed_pipe = true});
    CHECK(result.signal == 0);
    CHECK(result.code == 0);
    CHECK(result.err.empty());
  }
}

TEST_SUITE_END();

}  // namespace
