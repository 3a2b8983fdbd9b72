#include "support/approx.h"
#include "unit/calibrate/synthetic.h"

namespace {

using namespace bta;
using namespace bta::test;

void check_recovered(const Calibration& found, const Settings& truth) {
  for (const auto& setting : truth) {
    CAPTURE(setting.first);
    CHECK(value_of(found, setting.first) == bta::approx(setting.second).epsilon(1e-6));
  }
  CHECK(found.residual.worst < 1e-7);
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("a fit finds the values with which dense runs were made") {
  const Settings truth = {
      {"gemm", 0.61}, {"layer_overhead", 2.2e-3}, {"partial_sum_bytes", 2.4}, {"stream_overlap", 0.31}};
  const auto runs = measured_with(dense_runs(fixtures::cs2()), truth);
  const Calibration found =
      calibrated(runs, {"gemm", "layer_overhead", "partial_sum_bytes", "stream_overlap"});
  check_recovered(found, truth);
  for (const RowResult& row : found.rows) CHECK(std::abs(row.error.value()) < 1e-7);
}

TEST_CASE("a fit finds efficiencies of attention and experts' overheads from runs of MoE and dense models") {
  const Settings truth = {
      {"gemm", 0.38}, {"attention", 0.21}, {"expert_overhead", 3e-5}, {"tile_overhead", 2e-4}};
  const auto runs = measured_with(all_runs(fixtures::cs2()), truth);
  check_recovered(calibrated(runs, {"gemm", "attention", "expert_overhead", "tile_overhead"}), truth);
}

TEST_CASE("a fit ends at the same values wherever it starts") {
  const Settings truth = {{"gemm", 0.61}, {"layer_overhead", 2.2e-3}, {"stream_overlap", 0.31}};
  const auto runs = measured_with(dense_runs(fixtures::cs2()), truth);
  for (const Settings& start : {Settings{{"gemm", 0.05}, {"layer_overhead", 0}, {"stream_overlap", 1}},
                                {{"gemm", 1}, {"layer_overhead", 0.5}, {"stream_overlap", 0}},
                                {{"gemm", 0.62}, {"layer_overhead", 2e-3}, {"stream_overlap", 0.3}}}) {
    auto moved = runs;
    for (Run& run : moved) run.problem.wafer = with(run.problem.wafer, start);
    check_recovered(calibrated(moved, {"gemm", "layer_overhead", "stream_overlap"}), truth);
  }
}

TEST_CASE("numbers joined by = share the value that is found") {
  const Settings truth = {{"gemm=attention", 0.44}, {"layer_overhead", 1e-3}};
  const auto runs = measured_with(dense_runs(fixtures::cs2()), truth);
  const Calibration found = calibrated(runs, {"gemm=attention", "layer_overhead"});
  check_recovered(found, truth);
  CHECK(found.wafers.at(0).gemm_efficiency == 0.44);
  CHECK(found.wafers.at(0).attention_efficiency == 0.44);
}

TEST_CASE("each hardware gets back its own of the separate values") {
  Wafer second = fixtures::cs2();
  second.name = "second";
  second.content_hash = "2";
  second.vector_width.fp16 = 8;
  auto runs = measured_with(dense_runs(fixtures::cs2()), {{"gemm", 0.6}, {"layer_overhead", 1e-3}});
  for (Run& run : measured_with(dense_runs(second), {{"gemm", 0.3}, {"layer_overhead", 1e-3}}))
    runs.push_back(std::move(run));
  const Calibration found = calibrate({runs, {freedom("gemm", true), freedom("layer_overhead")}, {}, 0.9});
  check_recovered(found, {{"layer_overhead", 1e-3}});
  CHECK(value_of(found, "gemm of cs2") == bta::approx(0.6).epsilon(1e-6));
  CHECK(value_of(found, "gemm of second") == bta::approx(0.3).epsilon(1e-6));
  CHECK(found.wafers.at(0).gemm_efficiency == 0.6);
  CHECK(found.wafers.at(1).gemm_efficiency == 0.3);
}

TEST_CASE("rows that are only reported do not move a fit") {
  auto runs = measured_with(dense_runs(fixtures::cs2()), {{"gemm", 0.6}});
  Run wrong = runs.front();
  wrong.measured = 3 * *wrong.measured;
  wrong.fitted = false;
  runs.push_back(wrong);
  const Calibration found = calibrated(runs, {"gemm"});
  check_recovered(found, {{"gemm", 0.6}});
  CHECK(*found.rows.back().error == bta::approx(-2.0 / 3));
  CHECK_FALSE(found.rows.back().left_out.has_value());
  CHECK(found.fit.degrees_of_freedom == 8);
}

TEST_CASE("without free parameters a calibration reports the errors of the numbers as they are") {
  const auto runs = measured_with(dense_runs(fixtures::cs2()), {});
  const Calibration found = calibrated(runs, {});
  CHECK(found.residual.worst == 0);
  CHECK(found.left_out.value().worst == 0);
}

TEST_CASE("calibration says why it cannot be done") {
  auto runs = measured_with(dense_runs(fixtures::cs2()), {});
  CHECK(why_not({{runs[0]}, freedoms({"gemm", "layer_overhead"}), {}, 0.9}) ==
        "1 row cannot determine 2 values; free fewer of them, or measure more runs");
  runs[0].fitted = false;
  CHECK(why_not({{runs[0]}, freedoms({"gemm"}), {}, 0.9}) ==
        "no row has a measured throughput and is to be fitted");
  runs[1].problem.wafer.content_hash = "other";
  CHECK(why_not({runs, freedoms({"gemm"}), {}, 0.9}) ==
        "two different descriptions of hardware are both named cs2; give each its own name");
}

TEST_SUITE_END();

}  // namespace
