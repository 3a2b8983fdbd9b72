// What a verification says about what fails, to people and to programs.
#include "report/verify_report.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "golden/sample_records.h"
#include "report/text_table.h"

namespace {

using namespace bta;
using namespace bta::golden;

std::string written(const verify::Verification& verification, Format format) {
  return write_verification(verification, sample_request(), format);
}

verify::Verification only(const verify::Check& check) {
  return {{}, {check}};
}

verify::Check exact_check(std::int64_t compared, std::int64_t failed) {
  verify::Check check;
  check.claim = "a claim";
  check.about = "a run";
  check.compared = compared;
  check.failed = failed;
  return check;
}

TEST_SUITE_BEGIN("verification report");

TEST_CASE("people read it in 110 columns, however long claims, runs and notes are") {
  verify::Verification verification = sample_verification();
  for (verify::Check& check : verification.checks) {
    check.compared *= 1'000'000'000;
    check.claim += " and so does every other value of which there are many";
    check.about +=
        ", checkpoint XY, masked, blocked, causal, zipf:1.1, bf16, every layer, every phase, every core";
    check.worst +=
        ", in the fourth of many random configurations, where the window is longer than the sequence";
  }
  std::istringstream lines(written(verification, Format::table));
  int beyond_heading = -2;  // the workload's line is every report's
  for (std::string line; std::getline(lines, line); ++beyond_heading)
    if (beyond_heading >= 0) CHECK_MESSAGE(display_width(line) <= 110, line);
  CHECK(beyond_heading > 20);
}

TEST_CASE("runs stand together in the order of their first check, machines keep the order of the checks") {
  const std::string table = written(sample_verification(), Format::table);
  const std::size_t scaled = table.find("\nscaled tiny, B 2"), random = table.find("\n200 random"),
                    zipf = table.find("\nscaled tiny, zipf");
  CHECK(scaled < random);
  CHECK(random < zipf);
  CHECK(zipf != std::string::npos);
  CHECK(table.find("\nscaled tiny, B 2", scaled + 1) == std::string::npos);
  const auto checks = nlohmann::json::parse(written(sample_verification(), Format::json)).at("checks");
  for (std::size_t i = 0; i < checks.size(); ++i)
    CHECK(checks.at(i).at("claim") == sample_verification().checks[i].claim);
}

TEST_CASE("a check that compared nothing is not a check that holds") {
  const auto verification = only(exact_check(0, 0));
  CHECK(written(verification, Format::table).find("nothing was compared\n") != std::string::npos);
  CHECK(written(verification, Format::table).ends_with("\n0 of 1 claim holds (0 values compared)\n"));
  const auto json = nlohmann::json::parse(written(verification, Format::json));
  CHECK(json.at("passed") == false);
  CHECK(json.at("checks").at(0).at("status") == "failed");
  CHECK(json.at("checks").at(0).at("deviation").is_null());
}

TEST_CASE("what is not finite is null for programs and told to people") {
  verify::Check check = exact_check(3, 1);
  check.measure = verify::Measure::relative;
  check.deviation = check.tolerance = std::numeric_limits<double>::infinity();
  check.expected = 1;
  check.measured = std::numeric_limits<double>::quiet_NaN();
  const auto row = nlohmann::json::parse(written(only(check), Format::json)).at("checks").at(0);
  for (const char* const key : {"deviation", "tolerance", "measured"}) CHECK(row.at(key).is_null());
  CHECK(row.at("expected") == 1);
  CHECK(written(only(check), Format::csv).ends_with("\r\na claim,a run,failed,3,1,,,relative,,1,,\r\n"));
  CHECK(written(only(check), Format::table)
            .find("expected 1, measured no finite number; 1 of 3 values fail\n") != std::string::npos);
  CHECK(written(only(check), Format::table).find("not finite") != std::string::npos);
}

TEST_CASE("a verification without checks is written too, and did not pass") {
  for (const Format format : {Format::table, Format::csv, Format::json, Format::markdown})
    CHECK(!written({}, format).empty());
  const auto json = nlohmann::json::parse(written({}, Format::json));
  CHECK(json.at("checks") == nlohmann::json::array());
  CHECK(json.at("claims") == 0);
  CHECK(json.at("passed") == false);
}

TEST_CASE("what was asked is in the document, what has no say is null") {
  verify::Request request = sample_request();
  auto run = nlohmann::json::parse(write_verification({}, request, Format::json)).at("run");
  CHECK(run ==
        nlohmann::json{
            {"shape_only", false}, {"seed", 7}, {"random_cases", 200}, {"tile_batch", 2}, {"tiles", 3}});
  request.shape_only = true;
  request.tiling = {};
  run = nlohmann::json::parse(write_verification({}, request, Format::json)).at("run");
  for (const char* const key : {"random_cases", "tile_batch", "tiles"}) CHECK(run.at(key).is_null());
}

TEST_SUITE_END();

}  // namespace
