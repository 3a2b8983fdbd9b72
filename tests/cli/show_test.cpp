// Do show and list tell what is built in, to the last parameter?
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "support/program.h"

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
  CHECK(kinds.at(1).at("nope_head_dim") == 128);
  CHECK(kinds.at(1).at("rope_head_dim") == 64);
  CHECK(kinds.at(1).at("rotary_dim") == 64);
  CHECK(kinds.at(1).at("kv_heads").is_null());
  CHECK(document.at("beside") == json({{{"part", "MTP"}, {"parameters", 11'610'068'224}}}));
  CHECK(document.at("parameters").at("total") == 671'026'419'200);
  CHECK(run({"show", file}).out.find("\nMTP, in no total                 11,610,068,224") !=
        std::string::npos);
  CHECK(run({"show", file, "--set", "model.mtp_parameters=null"}).out.find("MTP, in no total") ==
        std::string::npos);
}

TEST_CASE("a model whose parameters exceed 64 bits is refused by every command") {
  const bta::cli_test::TemporaryFolder folder;
  const std::string file = folder.path("huge.yaml");
  bta::cli_test::write_file(
      file,
      "hidden_size: 1048576\nnum_layers: 4096\nnum_heads: 4096\nq_lora_rank: 4194304\n"
      "kv_lora_rank: 4194304\nqk_nope_head_dim: 65536\nqk_rope_head_dim: 65536\nv_head_dim: 65536\n"
      "intermediate_size: 1\nvocab_size: 1\ntie_embeddings: true\n");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"show", file},
                                                {"import", file},
                                                {"explain", "--model", file},
                                                {"plan", "--model", file},
                                                {"verify", "--shape-only", "--model", file}}) {
    CAPTURE(words.front());
    const auto result = run(words);
    CHECK(result.code == 2);
    CHECK(result.out.empty());
    CHECK(result.err == "bta-plan: error: the model is too large to count exactly in 64 bits\n");
  }
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
  const std::string nearest =
      "is neither built in nor a file; did you mean 'deepseek-v3'? 'bta-plan list' names all\n";
  CHECK(run({"show", "deepseek-v33"}).err == "command line: error: 'deepseek-v33' " + nearest);
  CHECK(run({"import", "deepseek-v33"}).err == "command line: error: 'deepseek-v33' " + nearest);
  CHECK(run({"plan", "--model", "deepseek-v33"}).err.ends_with("--model: 'deepseek-v33' " + nearest));
  CHECK(run({"show", "cerebras-cs4"}).err.find("did you mean 'cerebras-cs") != std::string::npos);
  CHECK(run({"show"}).err ==
        "command line: error: show needs the name of a model or hardware, or a file; 'bta-plan list' names "
        "what "
        "is built in\n");
  CHECK(run({"show", "a", "b"}).err == "command line: error: show takes one name, found 2\n");
  CHECK(run({"show"}).code == 2);
  CHECK(run({"show", "cerebras-cs2", "--set", "model.top_k=2"}).code == 2);
  CHECK(run({"show", "qwen3-8b", "--set", "hardware.grid.rows=2"}).code == 2);
}

TEST_SUITE_END();

}  // namespace
