// Data flows one way: input -> model, hardware -> cost -> plan -> report, and cli sees all; the executor
// stands beside cost, verify compares the two.
#include <doctest/doctest.h>

#include "house/house_rules.h"

namespace {

using bta::house::include_breaches;
using bta::house::library_breaches;
using bta::house::sharing_breaches;
using Breaches = std::vector<std::string>;

TEST_SUITE_BEGIN("house");

TEST_CASE("inner rooms of the house never include outer ones") {
  const auto files = bta::house::source_files();
  REQUIRE(files.size() > 10);
  for (const auto& file : files) {
    for (const auto& breach : include_breaches(file)) FAIL_CHECK(breach);
  }
}

TEST_CASE("only input parses files and only the command line parses options") {
  for (const auto& file : bta::house::source_files()) {
    for (const auto& breach : library_breaches(file)) FAIL_CHECK(breach);
  }
}

TEST_CASE("the executor shares structs and the operator list with the cost model, and no formula") {
  for (const auto& file : bta::house::source_files()) {
    for (const auto& breach : sharing_breaches(file)) FAIL_CHECK(breach);
  }
  CHECK(sharing_breaches({"executor/a.cpp", "#include \"cost/roofline.h\""}) ==
        Breaches{"src/executor/a.cpp:1: the executor must not know cost/roofline.h"});
  CHECK(sharing_breaches({"executor/a.cpp", "#include \"cost/operators.h\""}).empty());
  CHECK(sharing_breaches({"verify/a.cpp", "#include \"cost/roofline.h\""}).empty());
  CHECK(library_breaches({"plan/a.cpp", "#include <Eigen/Core>"}).size() == 1);
}

TEST_CASE("the include rule finds every kind of breach") {
  CHECK(include_breaches({"cost/time.h", "#pragma once\n#include \"input/load.h\"\n"}) ==
        Breaches{"src/cost/time.h:2: cost must not include input"});
  CHECK(include_breaches({"base/count.h", "#include <plan/search.h>"}) ==
        Breaches{"src/base/count.h:1: base must not include plan"});
  CHECK(include_breaches({"model/a/b.cpp", "  # include \"hardware/wafer.h\" // why"}) ==
        Breaches{"src/model/a/b.cpp:1: model must not include hardware"});
  CHECK(include_breaches({"cost/time.cpp", "#include \"time.h\""}) ==
        Breaches{"src/cost/time.cpp:1: \"time.h\" is not written from src/ on"});
  CHECK(include_breaches({"cost/time.cpp", "#include \"../plan/plan.h\""}).size() == 1);
  CHECK(include_breaches({"cellar/wine.h", ""}) ==
        Breaches{"src/cellar/wine.h: no rule says what 'cellar' may include"});
  CHECK(include_breaches({"input/load.h", "#include \"cost/workload.h\""}).size() == 1);
  CHECK(include_breaches({"report/csv.cpp", "#include \"cli/options.h\""}).size() == 1);
}

TEST_CASE("the include rule lets through what points inwards") {
  CHECK(include_breaches({"plan/search.h", "#include \"cost/time.h\"\n#include \"plan/level.h\"\n"}).empty());
  CHECK(include_breaches({"main.cpp", "#include \"cli/run.h\"\n#include <vector>\n"}).empty());
}

TEST_CASE("the library rule finds a parser out of place") {
  CHECK(library_breaches({"cost/time.cpp", "#include <yaml-cpp/yaml.h>"}) ==
        Breaches{"src/cost/time.cpp:1: <yaml-cpp/yaml.h> does not belong into cost"});
  CHECK(library_breaches({"plan/a.cpp", "#include <nlohmann/json.hpp>"}).size() == 1);
  CHECK(library_breaches({"report/a.cpp", "#include <csv.h>"}).size() == 1);
  CHECK(library_breaches({"report/a.cpp", "#include <CLI/CLI.hpp>"}).size() == 1);
  CHECK(library_breaches({"report/a.cpp", "#include <nlohmann/json.hpp>"}).empty());
  CHECK(library_breaches({"input/a.cpp", "#include <yaml-cpp/yaml.h>"}).empty());
}

TEST_SUITE_END();

}  // namespace
