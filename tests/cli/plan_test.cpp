// Does the default plan have its rows, and do options reach it?
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "support/approx.h"
#include "support/program.h"

namespace {

using bta::cli_test::run;
using nlohmann::json;
using Words = std::vector<std::string>;

json rows_of(Words words) {
  words.insert(words.end(), {"--format", "json", "-q"});
  return json::parse(run(words).out).at("rows");
}

TEST_SUITE_BEGIN("plan");

TEST_CASE("by default each level of the two series stands once, in order") {
  std::vector<std::pair<int, int>> levels;
  for (const json& row : rows_of({})) levels.emplace_back(row.at("experts"), row.at("top_k"));
  CHECK(levels == std::vector<std::pair<int, int>>{
                      {8, 8}, {16, 8}, {32, 8}, {64, 8}, {128, 8}, {128, 4}, {128, 2}, {128, 1}});
}

TEST_CASE("no command, plan, and any order of options are the same") {
  const std::string plain = run({"--experts", "16", "--format", "csv", "-q"}).out;
  CHECK(run({"plan", "--experts", "16", "--format", "csv", "-q"}).out == plain);
  CHECK(run({"--quiet", "--format=csv", "--experts=16"}).out == plain);
}

TEST_CASE("the columns hold what their definitions say") {
  for (const json& row : rows_of({"--iso-active"})) {
    const double tokens = row.at("tokens_per_s"), uniform = row.at("uniform_tokens_per_s"),
                 dense = row.at("dense_tokens_per_s");
    CHECK(row.at("speedup").get<double>() == tokens / uniform);
    CHECK(row.at("loss_uniform").get<double>() == bta::approx(1 - uniform / dense));
    CHECK(row.at("loss_bta").get<double>() == bta::approx(1 - tokens / dense));
    CHECK(row.at("micro_batch") == row.at("tile_batch").get<int>() * row.at("tiles").get<int>());
    const double share = row.at("top_k").get<double>() / row.at("experts").get<double>();
    CHECK(row.at("sparsity").get<double>() == 1 - share);
    CHECK(row.at("tokens_per_expert").get<double>() ==
          row.at("micro_batch").get<double>() * row.at("seq_len").get<double>() * share);
    CHECK(row.at("memory_bytes") <= row.at("memory_limit_bytes"));
    CHECK(row.at("status") == "ok");
    CHECK(row.at("expert_width") == 768 * 8 / row.at("top_k").get<int>());
  }
}

TEST_CASE("constraints hold in every row") {
  for (const json& row : rows_of({"--max-tile", "5", "--max-micro-batch", "23"})) {
    CHECK((row.at("tile_batch") <= 5 || row.at("tiles") == 1));  // a uniform batch is no tile
    CHECK(row.at("micro_batch") <= 23);
    CHECK(row.at("max_tile") == 5);
    CHECK(row.at("max_micro_batch") == 23);
  }
}

TEST_CASE("every convention is echoed in the row") {
  const json row =
      rows_of({"--mask", "causal", "--attention", "blocked", "--checkpoint", "X", "--routing", "zipf:0.5",
               "--placement", "compacted", "--precision", "bf16", "--wafers", "2", "--experts", "16"})
          .at(0);
  CHECK(row.at("mask") == "causal");
  CHECK(row.at("attention") == "blocked");
  CHECK(row.at("checkpoint") == "X");
  CHECK(row.at("routing") == "zipf:0.5");
  CHECK(row.at("placement") == "compacted");
  CHECK(row.at("precision") == "bf16");
  CHECK(row.at("wafers") == 2);
}

TEST_CASE("bytes per element follow the precision and can be overridden") {
  const Words words = {"--experts",     "16",    "--precision",
                       "fp32",          "--set", "hardware.core.multiply_adds_per_cycle.fp32=2",
                       "--score-bytes", "2"};
  const json row = rows_of(words).at(0);
  CHECK(row.at("activation_bytes") == 4);
  CHECK(row.at("weight_bytes") == 4);
  CHECK(row.at("score_bytes") == 2);
}

TEST_CASE("the human table fits a page of 120 columns") {
  const std::string out = run({"--iso-active"}).out;
  for (std::size_t at = 0; at < out.size();) {
    const std::size_t end = out.find('\n', at);
    REQUIRE(end != std::string::npos);
    CHECK(end - at <= 120);
    at = end + 1;
  }
}

TEST_SUITE_END();

}  // namespace
