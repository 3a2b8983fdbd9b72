// Every file under examples/ does what it says.
#include <doctest/doctest.h>

#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "support/program.h"

using namespace bta::cli_test;

namespace {
std::string example(const std::string& name) {
  return std::string(BTA_SOURCE_DIR) + "/examples/" + name;
}
}  // namespace

TEST_SUITE("cli") {
  TEST_CASE("the examples are planned, alone and together") {
    const Run model = run({"--model", example("my-moe.yaml")});
    CHECK(model.code == 0);
    CHECK(model.out.find("my-moe on cerebras-cs2") == 0);
    const Run hardware = run({"--hardware", example("faster-stream.yaml")});
    CHECK(hardware.code == 0);
    CHECK(hardware.out.find("qwen3-30b-a3b on faster-stream") == 0);
    CHECK(run({"--model", example("my-moe.yaml"), "--hardware", example("faster-stream.yaml")}).code == 0);
  }

  TEST_CASE("the two ways to cut the same experts are planned and have equally many parameters") {
    for (const std::string name : {"coarse-experts", "fine-experts"}) {
      const Run plan = run({"--model", example(name + ".yaml")});
      CHECK(plan.code == 0);
      CHECK(plan.out.find(name + " on cerebras-cs2") == 0);
    }
  }

  TEST_CASE("the example of measured counts is planned") {
    const Run plan = run({"--routing", example("skewed-routing.csv"), "--iso-active"});
    CHECK(plan.code == 0);
    CHECK(plan.out.find("routing skewed-routing.csv") != std::string::npos);
  }

  TEST_CASE(
      "the examples of measured runs are fitted: the synthetic ones to the values they were made with") {
    const Run public_runs = run({"calibrate", "-q", example("public-dense-runs.csv")});
    CHECK(public_runs.code == 0);
    const Run own = run({"calibrate", example("my-runs.csv"), "--format", "json"});
    REQUIRE(own.code == 0);
    const auto parameters = nlohmann::json::parse(own.out).at("parameters");
    const double truth[] = {0.55, 0.0012};  // as the file says of itself
    for (std::size_t i = 0; i < std::size(truth); ++i) {
      CHECK(parameters.at(i).at("low") < truth[i]);
      CHECK(parameters.at(i).at("high") > truth[i]);
    }
  }

  TEST_CASE("no example is left out of the test above") {
    int files = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator(std::string(BTA_SOURCE_DIR) + "/examples"))
      ++files;
    CHECK(files == 7);
  }
}
