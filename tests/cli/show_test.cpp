// Do show and list tell what is built in, to the last parameter?
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace {

using bta::cli_test::run;
using nlohmann::json;

TEST_SUITE_BEGIN("show");

TEST_CASE("list names every built-in model and hardware") {
  const json document = json::parse(run({"list", "--format", "json"}).out);
  CHECK(document.at("models").size() >= 28);
  CHECK(document.at("hardware").size() >= 5);
  CHECK(run({"list", "models"}).out.find("cerebras-cs") == std::string::npos);
  CHECK(run({"list", "hardware"}).out.find("qwen") == std::string::npos);
  CHECK(run({"list", "model"}).err ==
        "command line: error: 'model' is neither models nor hardware; did you mean models?\n");
}

TEST_CASE("parameter counts are exact, resident and streamed bytes stand apart") {
  const json document = json::parse(run({"show", "qwen3-30b-a3b", "--format", "json"}).out);
  CHECK(document.at("parameters").at("total") == 30'532'122'624);
  CHECK(document.at("parameters").at("active") == 3'353'032'704);
  CHECK(document.at("parameters").at("active_without_input_embedding") == 3'041'867'776);
  for (const json& part : document.at("parts"))
    if (part.at("part") == "total") {
      CHECK(part.at("resident_weight_bytes") == 61'064'245'248);
      CHECK(part.at("streamed_weight_bytes") == 61'064'245'248 - 622'329'856);
    }
}

TEST_CASE("layers are shown by what they are, parts beside the model in no total") {
  const std::string file = "deepseek-v3";
  const json document = json::parse(run({"show", file, "--format", "json"}).out);
  const json& kinds = document.at("layer_kinds");
  REQUIRE(kinds.size() == 2);
  CHECK(kinds.at(0).at("positions") == json({0, 1, 2}));
  CHECK(kinds.at(0).at("feed_forward") == "dense");
  CHECK(kinds.at(1).at("layers") == 58);
  CHECK(kinds.at(1).at("attention") == "MLA");
  CHECK(kinds.at(1).at("qk_head_dim") == 192);
  CHECK(kinds.at(1).at("kv_heads").is_null());
  CHECK(document.at("beside") == json({{{"part", "MTP"}, {"parameters", 11'610'068'224}}}));
  CHECK(document.at("parameters").at("total") == 671'026'419'200);
  CHECK(run({"show", file}).out.find("\nMTP, in no total                 11,610,068,224") !=
        std::string::npos);
  CHECK(run({"show", file, "--set", "model.mtp_parameters=null"}).out.find("MTP, in no total") ==
        std::string::npos);
}

TEST_CASE("training state is the sum of the bytes that were given") {
  for (const auto& [bytes, total] :
       {std::pair("2,2,4,8", 488'513'961'984), {"2,4,4,8", 549'578'207'232}, {"4,4,4,8", 610'642'452'480}}) {
    const json document =
        json::parse(run({"show", "qwen3-30b-a3b", "--state-bytes", bytes, "--format", "json"}).out);
    CHECK(document.at("state").at("total_bytes") == total);
  }
  CHECK(run({"show", "qwen3-30b-a3b", "--state-bytes", "2,2,4"}).err ==
        "command line: error: --state-bytes: '2,2,4' holds 3 numbers; four are needed: weight, gradient, "
        "master and moments\n");
  CHECK(run({"show", "qwen3-30b-a3b", "--state-bytes", "2,,4,8"}).code == 2);
}

TEST_CASE("every number of the hardware has its kind and source") {
  const json document = json::parse(run({"show", "cerebras-cs2", "--format", "json"}).out);
  CHECK(document.at("numbers").size() > 20);
  for (const json& number : document.at("numbers")) {
    CHECK(number.at("kind") != "unstated");
    CHECK(!number.at("source").is_null());
  }
}

TEST_CASE("a name that is nothing is told the nearest") {
  CHECK(run({"show", "cerebras-cs4"}).err.find("did you mean cerebras-cs") != std::string::npos);
  CHECK(run({"show"}).code == 2);
  CHECK(run({"show", "cerebras-cs2", "--set", "model.top_k=2"}).code == 2);
  CHECK(run({"show", "qwen3-8b", "--set", "hardware.grid.rows=2"}).code == 2);
}

TEST_SUITE_END();

}  // namespace
