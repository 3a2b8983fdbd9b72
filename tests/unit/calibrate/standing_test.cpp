#include "support/approx.h"
#include "unit/calibrate/synthetic.h"

namespace {

using namespace bta;
using namespace bta::test;

/// Every second one is too fast by a tenth, the others too slow: residuals that no value explains.
std::vector<Run> scattered(std::vector<Run> runs) {
  for (std::size_t i = 0; i < runs.size(); ++i) *runs[i].measured *= i % 2 == 0 ? 1.1 : 1 / 1.1;
  return runs;
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("a value beyond the end of its range is reported at that end, without an interval") {
  const auto runs = scattered(measured_with(dense_runs(fixtures::cs2()), {{"layer_overhead", 0}}));
  auto slow = runs;
  for (Run& run : slow) *run.measured *= 1.5;
  const Calibration found = calibrated(slow, {"layer_overhead"});
  const Estimate& overhead = estimate_of(found.fit, "layer_overhead");
  CHECK(overhead.standing == Standing::at_an_end);
  CHECK(std::abs(overhead.value()) < 1e-9);
  CHECK(overhead.note == "at the lower end of its range: no interval");
  CHECK_FALSE(overhead.standard_error.has_value());
  CHECK_FALSE(overhead.low.has_value());
  CHECK_FALSE(found.wafers.at(0).calibration.has_value());
  for (Run& run : slow) *run.measured *= 100;
  const Calibration fast = calibrated(slow, {"gemm"});
  CHECK(estimate_of(fast.fit, "gemm").note == "at the upper end of its range: no interval");
  CHECK(fast.wafers.at(0).gemm_efficiency == 1);
}

TEST_CASE("a value on which no row depends is said to be not identified, and stays as it was") {
  auto runs = scattered(measured_with(dense_runs(fixtures::cs2()), {}));
  for (const double before : {0.0, 2e-3}) {
    for (Run& run : runs) run.problem.wafer.expert_overhead_s = before;
    const Calibration found = calibrated(runs, {"gemm", "expert_overhead"});
    const Estimate& overhead = estimate_of(found.fit, "expert_overhead");
    CHECK(overhead.standing == Standing::no_effect);
    CHECK(overhead.note == "not identified by these rows: none of them depends on it");
    CHECK(overhead.value() == before);
    CHECK_FALSE(overhead.standard_error.has_value());
    CHECK(found.wafers.at(0).expert_overhead_s == before);
    CHECK(estimate_of(found.fit, "gemm").standard_error.has_value());
  }
}

TEST_CASE("a value whose whole range moves predictions by less than a millionth is not identified") {
  Model small = dense(1, 1, 1, 1);
  small.vocabulary = 0;
  std::vector<Run> runs;
  for (const std::int64_t batch : {1, 2, 3}) runs.push_back(run_on(fixtures::cs2(), small, {batch, 1}));
  const Calibration found = calibrated(scattered(measured_with(runs, {})), {"gemm"});
  CHECK(found.fit.estimates.at(0).standing == Standing::no_effect);
  CHECK(found.wafers.at(0).gemm_efficiency == 0.45);
}

/// A layer's and a tile's overhead are added to the same passes as long as nothing hides them.
std::vector<Run> runs_that_add_overheads() {
  Wafer wafer = fixtures::cs2();
  wafer.stream_overlap = 0;
  return measured_with(dense_runs(wafer), {{"layer_overhead", 2e-3}, {"tile_overhead", 1e-3}});
}

TEST_CASE("two values of which only the sum matters are said to be determined only together") {
  const Calibration found =
      calibrated(scattered(runs_that_add_overheads()), {"gemm", "layer_overhead", "tile_overhead"});
  for (const std::string name : {"layer_overhead", "tile_overhead"}) {
    const Estimate& estimate = estimate_of(found.fit, name);
    CHECK(estimate.standing == Standing::only_together);
    CHECK(estimate.note == "not identified by these rows: only together with others");
    CHECK_FALSE(estimate.standard_error.has_value());
  }
  CHECK(estimate_of(found.fit, "gemm").standing == Standing::identified);
  REQUIRE(found.wafers.at(0).calibration.has_value());
  CHECK(found.wafers.at(0).calibration->values.size() == 1);
}

TEST_CASE("the sum of two values that are determined only together is found") {
  const Calibration found =
      calibrated(runs_that_add_overheads(), {"gemm", "layer_overhead", "tile_overhead"});
  CHECK(value_of(found, "layer_overhead") + value_of(found, "tile_overhead") == bta::approx(3e-3));
  CHECK(value_of(found, "gemm") == bta::approx(0.45));
}

TEST_CASE("a value is no surer for a second one that cannot be told from a third") {
  const auto runs = scattered(runs_that_add_overheads());
  const Uncertainty two = calibrated(runs, {"gemm", "layer_overhead"}).fit;
  const Uncertainty three = calibrated(runs, {"gemm", "layer_overhead", "tile_overhead"}).fit;
  const double by_scatter = *three.scatter / *two.scatter;
  CHECK(*estimate_of(three, "gemm").standard_error ==
        bta::approx(by_scatter * *estimate_of(two, "gemm").standard_error).epsilon(1e-3));
}

TEST_CASE("as many values as rows leave no interval, no scatter and no row to leave out") {
  const auto all = measured_with(dense_runs(fixtures::cs2()), {{"gemm", 0.5}});
  const Calibration found = calibrated({all[1], all[5]}, {"gemm", "layer_overhead"});
  CHECK(found.fit.degrees_of_freedom == 0);
  CHECK_FALSE(found.fit.scatter.has_value());
  CHECK_FALSE(found.left_out.has_value());
  for (const RowResult& row : found.rows) CHECK_FALSE(row.left_out.has_value());
  for (const Estimate& estimate : found.fit.estimates) {
    CHECK_FALSE(estimate.low.has_value());
    CHECK_FALSE(estimate.standard_error.has_value());
    CHECK(estimate.note == "no interval: as many values as rows");
  }
  CHECK_FALSE(found.wafers.at(0).calibration.has_value());
}

TEST_CASE("an interval that is all a value may be says so") {
  std::vector<Run> runs;
  for (const Run& run : measured_with(dense_runs(fixtures::cs2()), {}))
    for (const double factor : {3.0, 1.0 / 3}) {
      runs.push_back(run);
      *runs.back().measured *= factor;
    }
  const Uncertainty fit = calibrated(runs, {"stream_overlap"}, 0.999).fit;
  const Estimate& overlap = estimate_of(fit, "stream_overlap");
  REQUIRE(overlap.standing == Standing::identified);
  CHECK(overlap.note == "not identified by these rows: the interval is all it may be");
  CHECK(*overlap.low == 0);
  CHECK(*overlap.high == 1);
}

TEST_SUITE_END();

}  // namespace
