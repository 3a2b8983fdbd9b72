#include <fmt/format.h>

#include "calibrate/sample.h"
#include "support/approx.h"
#include "unit/calibrate/synthetic.h"

namespace {

using namespace bta;
using namespace bta::test;

const SourcedNumber& number_of(const Wafer& wafer, const std::string& key) {
  for (const SourcedNumber& number : wafer.numbers)
    if (number.key == key) return number;
  FAIL("no number " << key);
  return wafer.numbers.front();
}

Wafer described() {
  Wafer wafer = fixtures::cs2();
  wafer.numbers = {{"core.clock", "1.1GHz", "datasheet", "vendor"},
                   {"efficiency.gemm", "0.45", "assumed", "guess"},
                   {"efficiency.layer_overhead", "1.5ms", "assumed", "guess"},
                   {"efficiency.expert_overhead", "0s", "assumed", "guess"}};
  return wafer;
}

std::vector<Run> noisy(std::vector<Run> runs) {
  for (std::size_t i = 0; i < runs.size(); ++i) *runs[i].measured *= i % 2 == 0 ? 1.02 : 0.99;
  return runs;
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("a calibrated wafer holds its values to four digits, marked and with the rows they come from") {
  const auto runs =
      noisy(measured_with(dense_runs(described()), {{"gemm", 0.512}, {"layer_overhead", 2e-3}}));
  const Calibration found = calibrated(runs, {"gemm", "layer_overhead", "expert_overhead"});
  const Wafer& wafer = found.wafers.at(0);
  CHECK(fmt::format("{:.4g}", value_of(found, "gemm")) == fmt::format("{}", wafer.gemm_efficiency));
  CHECK(number_of(wafer, "efficiency.gemm").value == fmt::format("{}", wafer.gemm_efficiency));
  CHECK(number_of(wafer, "efficiency.gemm").kind == "calibrated");
  CHECK(number_of(wafer, "efficiency.gemm").source ==
        "least squares of ln(predicted/measured) over: " + wafer.calibration.value().rows);
  CHECK(number_of(wafer, "efficiency.layer_overhead").value ==
        fmt::format("{:.4g}ms", 1000 * value_of(found, "layer_overhead")));
  CHECK(number_of(wafer, "efficiency.expert_overhead").kind == "assumed");
  CHECK(number_of(wafer, "core.clock").source == "vendor");
}

TEST_CASE("what the rows do not determine is not written as calibrated") {
  Wafer wafer = described();
  wafer.stream_overlap = 0;  // then the time of a tile and that of a layer are one to runs without tiles
  wafer.numbers.push_back({"efficiency.tile_overhead", "0s", "assumed", "guess"});
  const auto runs = noisy(measured_with(dense_runs(wafer), {{"layer_overhead", 2e-3}}));
  const Calibration found = calibrated(runs, {"layer_overhead", "tile_overhead"});
  REQUIRE(estimate_of(found.fit, "layer_overhead").standing == Standing::only_together);
  for (const char* key : {"efficiency.layer_overhead", "efficiency.tile_overhead"}) {
    const SourcedNumber& number = number_of(found.wafers.at(0), key);
    CHECK(number.kind == "assumed");
    CHECK(number.source.starts_with("not identified alone, only together with others, by: dense-768"));
  }
  CHECK_FALSE(found.wafers.at(0).calibration.has_value());
}

TEST_CASE("a value at the end of its range is exactly there, and not written as calibrated") {
  auto runs = measured_with(dense_runs(described()), {{"layer_overhead", 0}});
  for (Run& run : runs) *run.measured *= 1.5;  // faster than without any overhead
  const Calibration found = calibrated(runs, {"layer_overhead"});
  REQUIRE(estimate_of(found.fit, "layer_overhead").standing == Standing::at_an_end);
  CHECK(found.wafers.at(0).layer_overhead_s == 0);
  CHECK(number_of(found.wafers.at(0), "efficiency.layer_overhead").value == "0ms");
  CHECK(number_of(found.wafers.at(0), "efficiency.layer_overhead").kind == "assumed");
}

TEST_CASE(
    "a calibration of memory alone keeps what is known of the efficiencies, and values that no batch tells") {
  Wafer wafer = described();
  wafer.numbers.push_back({"attention_kernel.score_heads", "all", "assumed", "guess"});
  wafer.calibration = CalibrationRecord{"earlier runs", 3, 0.1, {{"gemm", 0.05}}, {{1}}};
  std::vector<Run> runs = dense_runs(wafer);
  const Calibration found = calibrate({{runs.front()}, {}, {find_parameter("score_heads")}, 0.9, "", ""});
  CHECK(found.wafers.at(0).calibration.value().rows == "earlier runs");
  REQUIRE_FALSE(found.resident.estimates.at(0).identified);
  CHECK_FALSE(found.wafers.at(0).score_heads.has_value());
  CHECK(number_of(found.wafers.at(0), "attention_kernel.score_heads").value == "all");
}

TEST_CASE("a batch that leaves a wafer or the last micro-batch part empty counts its own sequences only") {
  Workload three;
  three.wafers = 3;
  const Problem problem = make_problem(dense(4, 2048, 16, 8192), described(), three);
  const Run full = make_run("", problem, {3, 1}), part = make_run("", problem, {3, 1}, 7),
            accumulated = make_run("", problem, {3, 1}, 18), rest = make_run("", problem, {3, 1}, 12);
  const Wafer wafer = described();
  CHECK(predicted(part, wafer) == bta::approx(predicted(full, wafer) * 7 / 9).epsilon(1e-12));
  CHECK(predicted(accumulated, wafer) == bta::approx(predicted(full, wafer)).epsilon(1e-12));
  CHECK(predicted(rest, wafer) == bta::approx(predicted(full, wafer) * 12 / 18).epsilon(1e-12));
}

TEST_CASE("the record of a calibration names its rows and the errors of what was identified") {
  const auto runs =
      noisy(measured_with(dense_runs(described()), {{"gemm", 0.512}, {"layer_overhead", 2e-3}}));
  const Calibration found = calibrated(runs, {"gemm", "expert_overhead", "layer_overhead"});
  const CalibrationRecord& record = found.wafers.at(0).calibration.value();
  CHECK(record.rows.starts_with("dense-768 on cs2; dense-2560 on cs2; dense-8192 on cs2; "));
  CHECK(record.degrees_of_freedom == 6);
  REQUIRE(record.values.size() == 2);
  CHECK(record.values[0].name == "gemm");
  CHECK(record.values[1].name == "layer_overhead");
  CHECK(record.values[0].standard_error ==
        bta::approx(*estimate_of(found.fit, "gemm").standard_error).epsilon(1e-3));
  CHECK(record.correlation[0][1] == record.correlation[1][0]);
  CHECK(record.correlation[0][1] == bta::approx(found.fit.correlation[0][2]).epsilon(1e-3));
  CHECK(record.scatter == bta::approx(*found.fit.scatter).epsilon(1e-3));
}

TEST_CASE("a calibration of more rows than a description can name tells how many, the first and the last") {
  const auto rows_named = [](const std::string& name) {
    std::vector<Run> runs;
    for (std::int64_t batch = 1; batch <= 60; ++batch) {
      runs.push_back(run_on(described(), dense(4, 2048, 16, 8192), {batch, 1}));
      runs.back().name = name + " " + std::to_string(batch);
    }
    return calibrated(noisy(measured_with(runs, {})), {"gemm"}).wafers.at(0).calibration.value().rows;
  };
  CHECK(rows_named("run").ends_with("; run 58; run 59; run 60"));
  CHECK(rows_named("a run on a Tuesday") == "60 runs, from a run on a Tuesday 1 to a run on a Tuesday 60");
  CHECK(rows_named(std::string(500, 'x')) == "60 runs");
}

TEST_CASE("correlations near 1 keep the digits without which they would be none") {
  Wafer wafer = described();
  wafer.stream_overlap = 0.0005;
  const auto runs =
      noisy(measured_with(dense_runs(wafer), {{"layer_overhead", 2e-3}, {"tile_overhead", 1e-3}}));
  const Calibration found = calibrated(runs, {"layer_overhead", "tile_overhead"});
  REQUIRE(found.fit.estimates[0].standing == Standing::identified);
  CHECK(std::abs(found.fit.correlation[0][1]) > 0.99995);
  CHECK(sample_wafers(found.wafers.at(0), 1).size() == 1);
}

TEST_CASE("hardware of reported rows is calibrated too") {
  Wafer second = described();
  second.name = "second";
  second.content_hash = "2";
  auto runs = noisy(measured_with(dense_runs(described()), {{"gemm", 0.512}}));
  runs.push_back(run_on(second, fixtures::qwen3_4b(), {30, 1}));
  const Calibration found = calibrated(runs, {"gemm"});
  REQUIRE(found.wafers.size() == 2);
  CHECK(found.wafers[1].name == "second");
  CHECK(found.wafers[1].gemm_efficiency == found.wafers[0].gemm_efficiency);
  CHECK_FALSE(found.rows.back().error.has_value());
  CHECK(found.rows.back().predicted > 0);
}

TEST_SUITE_END();

}  // namespace
