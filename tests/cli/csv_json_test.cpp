// Do CSV and JSON say the same, and can strict readers read them?
#include <doctest/doctest.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "cli/csv_text.h"
#include "support/program.h"

namespace {

using bta::cli_test::read_csv;
using bta::cli_test::run;
using nlohmann::json;

using Rows = std::vector<std::vector<std::string>>;
using Words = std::vector<std::string>;

double real(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  REQUIRE_MESSAGE((error == std::errc() && end == text.data() + text.size()), text);
  return value;
}

void check_same(const std::string& csv, const json& value) {
  if (value.is_null()) CHECK(csv.empty());
  if (value.is_number_float()) CHECK(real(csv) == value.get<double>());
  if (value.is_number_integer()) CHECK(csv == value.dump());
  if (value.is_boolean()) CHECK(csv == value.dump());
  if (value.is_string()) CHECK(csv == value.get<std::string>());
}

Words with_format(Words words, const std::string& format) {
  words.insert(words.end(), {"--format", format, "--quiet"});
  return words;
}

void check_plan(const Words& words) {
  const auto as_csv = run(with_format(words, "csv")), as_json = run(with_format(words, "json"));
  CHECK(as_csv.code == as_json.code);
  const Rows csv = read_csv(as_csv.out);
  const json rows = json::parse(as_json.out).at("rows");
  REQUIRE(csv.size() == rows.size() + 1);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    REQUIRE(csv[r + 1].size() == csv[0].size());
    REQUIRE(csv[0].size() == rows[r].size() + 1);  // assumptions, which JSON holds elsewhere
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      CAPTURE(csv[0][c]);
      check_same(csv[r + 1][c], rows[r].at(csv[0][c]));
    }
  }
}

TEST_SUITE_BEGIN("csv and json");

TEST_CASE("a plan's CSV reads back equal to its JSON") {
  check_plan({"--iso-active", "--experts", "16,128", "--top-k", "8,1"});
}
TEST_CASE("so it does when nothing is feasible") {
  check_plan({"--seq-len", "200000"});
}
TEST_CASE("so it does for a dense model, whose cells about experts are empty") {
  check_plan({"--model", "qwen3-8b"});
}

TEST_CASE("the columns scripts rely on come first and in order") {
  const Rows csv = read_csv(run({"--format", "csv", "-q", "--experts", "16"}).out);
  const std::string expected =
      "model,hardware,wafers,seq_len,experts,top_k,sparsity,expert_width,tile_batch,tiles,micro_batch,"
      "tokens_per_expert,tokens_per_s,uniform_batch,uniform_tokens_per_s,speedup,dense_tokens_per_s,"
      "loss_uniform,loss_bta,utilization,bound,memory_bytes,memory_limit_bytes,status,reason,mask,attention,"
      "checkpoint,routing,placement,precision,iso_active,model_hash,hardware_hash";
  std::string header;
  for (const std::string& name : csv.at(0)) header += (header.empty() ? "" : ",") + name;
  CHECK(header.starts_with(expected + ","));
}

TEST_CASE("text that a spreadsheet would run is neutralised, numbers are not") {
  for (const std::string name : {"=1+1", "-2+3", "+1"}) {
    CAPTURE(name);
    const Rows csv = read_csv(
        run({"--format", "csv", "-q", "--experts", "8", "--top-k", "8", "--set", "model.name=" + name}).out);
    CHECK(csv.at(1).at(0) == "'" + name);
    CHECK(csv.at(1).at(18).starts_with("-"));  // loss_bta: faster than dense
  }
}

TEST_CASE("a name with a comma and quotes stands in quotes") {
  const auto result = run({"--format", "csv", "-q", "--experts", "8", "--set", "model.name=a,\"b\""});
  CHECK(read_csv(result.out).at(1).at(0) == "a,\"b\"");
  CHECK(result.out.find("\r\n\"a,\"\"b\"\"\",") != std::string::npos);
}

TEST_CASE("no format ever prints nan or inf as a number") {
  for (const char* const format : {"csv", "json"}) {
    const std::string out = run({"--format", format, "-q", "--seq-len", "200000"}).out;
    for (const char* const word : {",nan,", ",inf,", ",-inf,", ": nan", ": inf", ": -inf", "NaN", "Infinity"})
      CHECK(out.find(word) == std::string::npos);
  }
}

TEST_CASE("a JSON document says what it was made with") {
  const json document = json::parse(run({"--format", "json", "-q", "--experts", "16"}).out);
  CHECK(document.at("schema_version") == 1);
  CHECK(document.at("tool") == json({{"name", "bta-plan"}, {"version", "0.1.0"}}));
  CHECK(document.at("conventions").at("flops") == "1 multiply-add = 2 FLOPs");
  CHECK(document.at("inputs").at("model").at("hash").get<std::string>().size() == 64);
  CHECK(document.at("inputs").at("hardware").at("hash").get<std::string>().size() == 64);
  CHECK(!document.at("assumptions").at("hardware").empty());
  for (const json& number : document.at("assumptions").at("hardware"))
    CHECK(number.at("kind") != "datasheet");
}

TEST_SUITE_END();

}  // namespace
