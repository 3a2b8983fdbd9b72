// Every console block of README.md and docs/ shows what the program prints now, errors included.
// BTA_UPDATE_GOLDENS=1 writes what it prints into the documents.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "support/program.h"

namespace {

using namespace bta::cli_test;

const std::string opening = "```console\n$ ", closing = "```\n", shown_program = "./scripts/bta-plan";

std::vector<std::string> documents() {
  const std::filesystem::path root = BTA_SOURCE_DIR;
  std::vector<std::string> paths{(root / "README.md").string()};
  for (const auto& entry : std::filesystem::directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  return paths;
}

/// What a shell in the project's folder prints for the command, stdout and stderr together.
std::string printed(std::string command) {
  command.replace(command.find(shown_program), shown_program.size(), BTA_PLAN_EXECUTABLE);
  const std::string line = std::string("cd '") + BTA_SOURCE_DIR + "' && { " + command + "; } 2>&1";
  std::string output;
  FILE* const pipe = popen(line.c_str(), "r");  // NOLINT(cert-env33-c): the documents' own commands
  REQUIRE(pipe != nullptr);
  std::array<char, 4096> buffer{};
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
    output.append(buffer.data(), n);
  pclose(pipe);
  return output;
}

bool updates() {
  return std::getenv("BTA_UPDATE_GOLDENS") != nullptr;  // NOLINT(concurrency-mt-unsafe): one thread
}

/// Compares, or replaces, every console block of a document.
void check_document(const std::string& name, int least_blocks) {
  int blocks = 0;
  const std::string path = BTA_SOURCE_DIR "/" + name;
  std::string text = read_file(path);
  for (std::size_t at = text.find(opening); at != std::string::npos; at = text.find(opening, at + 1)) {
    const std::size_t command_at = at + opening.size(), command_end = text.find('\n', command_at);
    const std::size_t end = text.find(closing, command_end);
    REQUIRE(end != std::string::npos);
    const std::string command = text.substr(command_at, command_end - command_at);
    CAPTURE(command);
    REQUIRE(command.find(shown_program) != std::string::npos);
    const std::string shown = text.substr(command_end + 1, end - command_end - 1), now = printed(command);
    ++blocks;
    if (updates())
      text.replace(command_end + 1, end - command_end - 1, now);
    else
      CHECK(shown == now);
  }
  if (updates()) write_file(path, text);
  CHECK(blocks >= least_blocks);
}

}  // namespace

TEST_SUITE("documents") {
  TEST_CASE("every output shown in README.md is what the program prints now") {
    check_document("README.md", 6);
  }
  TEST_CASE("every output shown in docs/calibration.md is what the program prints now") {
    check_document("docs/calibration.md", 2);
  }
  TEST_CASE("every output shown in docs/cli.md is what the program prints now") {
    check_document("docs/cli.md", 1);
  }
  TEST_CASE("every output shown in docs/routing.md is what the program prints now") {
    check_document("docs/routing.md", 6);
  }
  TEST_CASE("every output shown in docs/validation.md is what the program prints now") {
    check_document("docs/validation.md", 2);
  }

  TEST_CASE("no other document shows output") {
    const std::vector<std::string> checked = {"README.md", "docs/calibration.md", "docs/cli.md",
                                              "docs/routing.md", "docs/validation.md"};
    for (const std::string& path : documents()) {
      const std::string name = std::filesystem::relative(path, BTA_SOURCE_DIR).string();
      CAPTURE(name);
      if (std::ranges::find(checked, name) == checked.end())
        CHECK(read_file(path).find(opening) == std::string::npos);
    }
  }
}
