// Does a file of measured counts reach plan, explain and verify, and does every output name it?
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/csv_text.h"
#include "support/program.h"

namespace {

using namespace bta::cli_test;
using nlohmann::json;
using Words = std::vector<std::string>;

const std::string skewed = std::string(BTA_SOURCE_DIR) + "/examples/skewed-routing.csv";

json document(Words words) {
  words.insert(words.end(), {"--format", "json", "-q"});
  const Run result = run(words);
  REQUIRE_MESSAGE(result.code == 0, result.err);
  return json::parse(result.out);
}

/// Counts of experts 0, 1, .. in a file of its own.
std::string table(const TemporaryFolder& folder, int experts, int step) {
  std::string text = "expert,tokens\n";
  for (int e = 0; e < experts; ++e) text += std::to_string(e) + "," + std::to_string(100 + step * e) + "\n";
  write_file(folder.path("counts.csv"), text);
  return folder.path("counts.csv");
}

TEST_SUITE_BEGIN("routing");

TEST_CASE("a file of counts is planned at its own number of experts, and the outputs name it with its hash") {
  const json plan = document({"--routing", skewed});
  std::vector<std::pair<int, int>> levels;
  for (const json& row : plan.at("rows")) {
    levels.emplace_back(row.at("experts"), row.at("top_k"));
    CHECK(row.at("routing") == "skewed-routing.csv");
    CHECK(row.at("routing_hash") == plan.at("inputs").at("routing").at("hash"));
  }
  CHECK(levels == std::vector<std::pair<int, int>>{{128, 8}, {128, 4}, {128, 2}, {128, 1}});
  const json& input = plan.at("inputs").at("routing");
  CHECK(input.at("name") == "skewed-routing.csv");
  CHECK(input.at("hash").get<std::string>().size() == 64);
  CHECK(input.at("experts") == 128);
  CHECK(input.at("layers").is_null());
}

TEST_CASE("without a file there is no hash") {
  const json plan = document({"--experts", "16"});
  CHECK(plan.at("rows").at(0).at("routing_hash").is_null());
  CHECK_FALSE(plan.at("inputs").contains("routing"));
}

TEST_CASE("equal counts are the balanced plan to the last digit") {
  const TemporaryFolder folder;
  const json measured = document({"--routing", table(folder, 128, 0)}).at("rows");
  const json balanced = document({"--experts", "128", "--top-k", "8,4,2,1"}).at("rows");
  REQUIRE(measured.size() == balanced.size());
  for (std::size_t i = 0; i < measured.size(); ++i)
    for (const std::string name : {"tile_batch", "tiles", "tokens_per_s", "uniform_batch",
                                   "uniform_tokens_per_s", "memory_bytes", "blocked_tokens_per_s"})
      CHECK(measured[i].at(name) == balanced[i].at(name));
}

TEST_CASE("a file for another number of experts is refused with the remedy") {
  const TemporaryFolder folder;
  const std::string file = table(folder, 64, 1);
  for (const Words& command : {Words{"plan"}, {"explain"}, {"verify"}, {"plan", "--top-k", "4"}}) {
    Words words = command;
    words.insert(words.end(), {"--routing", file});
    const Run result = run(words);
    CHECK(result.code == 2);
    CHECK(result.out.empty());
    CHECK(result.err ==
          "command line: error: --routing: counts.csv has counts of 64 experts, but levels with 128 experts "
          "are "
          "planned; give --experts 64\n");
  }
  CHECK(run({"--routing", file, "--experts", "64", "-q"}).code == 0);
}

TEST_CASE("what is wrong in the file and on the command line is told together") {
  const TemporaryFolder folder;
  write_file(folder.path("r.csv"), "expert,tokens\n0,1\n0,2\n");
  const Run result = run({"--routing", folder.path("r.csv"), "--mask", "causl"});
  CHECK(result.code == 2);
  CHECK(result.err.find("r.csv:3:1: error: expert: expert 0 stands twice, on lines 2 and 3") !=
        std::string::npos);
  CHECK(result.err.find("'causl'") != std::string::npos);
}

TEST_CASE("a table by layers says what it was made of") {
  const TemporaryFolder folder;
  write_file(folder.path("r.csv"), "layer,expert,tokens\n0,0,3\n0,1,1\n1,0,1\n1,1,3\n");
  const Words words{"--routing", folder.path("r.csv"), "--experts", "2", "--top-k", "1", "-q"};
  const std::string out = run(words).out;
  CHECK(out.find("routing r.csv: mean of 2 measured layers") != std::string::npos);
  CHECK(document(words).at("inputs").at("routing").at("layers") == 2);
}

TEST_CASE("explain knows the buffer of the busiest expert") {
  const Words point{"explain", "-B", "8", "-G", "8"};
  Words with_file = point;
  with_file.insert(with_file.end(), {"--routing", skewed});
  const std::int64_t even = document(point).at("row_fill").at("expert_capacity"),
                     busiest = document(with_file).at("row_fill").at("expert_capacity");
  CHECK(busiest > 3 * even);
  CHECK(busiest < 4 * even);
}

TEST_CASE("verify holds with measured counts, resampled for the scaled model") {
  const json result = document({"verify", "--routing", skewed});
  CHECK(result.at("passed") == true);
  int measured = 0;
  for (const json& check : result.at("checks"))
    measured += check.at("about").get<std::string>().find("measured routing") != std::string::npos ? 1 : 0;
  CHECK(measured == 2);
  CHECK(result.at("notes").dump().find("routing skewed-routing.csv: the scaled model's 12 experts get the "
                                       "profile of the 128 measured ones "
                                       "by quantiles") != std::string::npos);
}

TEST_SUITE_END();

}  // namespace
