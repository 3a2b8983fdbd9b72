// A quiet library of small files, each of them built.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "house/house_rules.h"
#include "support/approx.h"

namespace {

namespace fs = std::filesystem;
using bta::house::code_of;
using bta::house::silence_breaches;
using bta::house::size_breaches;
using Breaches = std::vector<std::string>;

/// Does the CMakeLists.txt of the file's folder, or of one above, name it?
bool is_listed(const fs::path& file) {
  for (fs::path folder = file.parent_path(); folder != fs::path(BTA_SOURCE_DIR);
       folder = folder.parent_path()) {
    std::ifstream list(folder / "CMakeLists.txt");
    const std::string wanted = file.lexically_relative(folder).generic_string();
    for (std::string word; list >> word;) {
      if (word == wanted || word == wanted + ")") return true;
    }
  }
  return false;
}

TEST_SUITE_BEGIN("house");

TEST_CASE("the library never prints and never ends the process") {
  for (const auto& file : bta::house::source_files()) {
    for (const auto& breach : silence_breaches(file)) FAIL_CHECK(breach);
  }
}

TEST_CASE("every source file stays below 500 lines") {
  for (const auto& file : bta::house::source_files()) {
    for (const auto& breach : size_breaches(file)) FAIL_CHECK(breach);
  }
}

TEST_CASE("every source file is built: a CMakeLists.txt names it") {
  for (const char* const tree : {"src", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(BTA_SOURCE_DIR) / tree)) {
      if (entry.path().extension() != ".cpp") continue;
      CHECK_MESSAGE(is_listed(entry.path()), entry.path().string());
    }
  }
}

TEST_CASE("tests compare numbers relative to their size: doctest's Approx lets any two small ones pass") {
  CHECK(0.001 == doctest::Approx(0.002).epsilon(0.01));
  CHECK_FALSE(0.001 == bta::approx(0.002).epsilon(0.01));
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(BTA_SOURCE_DIR) / "tests")) {
    const fs::path& path = entry.path();
    if (path.filename() == "approx.h" || path.filename() == "house_keeping_test.cpp") continue;
    if (path.extension() != ".cpp" && path.extension() != ".h") continue;
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    CHECK_MESSAGE(text.find("doctest::Approx") == std::string::npos, path.string());
  }
}

TEST_CASE("the rule of silence finds every way to print or exit") {
  CHECK(silence_breaches({"cost/a.cpp", "\n  std::exit(1);"}) ==
        Breaches{"src/cost/a.cpp:2: the library never prints or exits: exit("});
  for (const char* const line :
       {"abort();", "::_Exit (2);", "std::cout << x;", "using std::cerr;", "std::clog", "printf(\"x\");",
        "std::puts(x);", "fmt::print(\"x\");", "std::fputs(x, stderr);", "int n = 1'000; std::exit(n);"}) {
    CAPTURE(line);
    CHECK(silence_breaches({"report/a.cpp", line}).size() == 1);
    CHECK(silence_breaches({"cli/a.cpp", line}).empty());
    CHECK(silence_breaches({"main.cpp", line}).empty());
  }
}

TEST_CASE("the rule of silence leaves comments, texts and longer names alone") {
  for (const char* const line : {"// exit(1)", "/* std::cout */", "f(\"stdout \\\" cerr\");", "on_exit(x);",
                                 "R\"(abort())\"", "char c = '\"'; // cout", "std::snprintf(b, n, f);"}) {
    CAPTURE(line);
    CHECK(silence_breaches({"cost/a.cpp", line}).empty());
  }
}

TEST_CASE("blanking comments and texts keeps line numbers") {
  CHECK(code_of("a /* b\nc */ d\n") == "a     \n     d\n");
  CHECK(code_of("f(\"x\\\"y\", 'z')") == "f(      ,    )");
}

TEST_CASE("the size rule fails at the limit and not below") {
  CHECK(size_breaches({"cost/a.cpp", std::string(299, '\n')}).empty());
  CHECK(size_breaches({"cost/a.cpp", std::string(500, '\n')}) ==
        Breaches{"src/cost/a.cpp: 500 lines, a file stays below 500"});
}

TEST_SUITE_END();

}  // namespace
