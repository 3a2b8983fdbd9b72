#include "support/approx.h"
#include "unit/calibrate/synthetic.h"

namespace {

using namespace bta;
using namespace bta::test;

TEST_SUITE_BEGIN("unit");

TEST_CASE("the leave-one-out error of a row is that of a fit without it") {
  auto runs = measured_with(dense_runs(fixtures::cs2()), {{"gemm", 0.5}, {"layer_overhead", 2e-3}});
  for (std::size_t i = 0; i < runs.size(); ++i) *runs[i].measured *= 1 + 0.03 * static_cast<double>(i % 4);
  const Calibration all = calibrated(runs, {"gemm", "layer_overhead"});
  double sum = 0, worst = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    CAPTURE(i);
    auto others = runs;
    others[i].fitted = false;
    const double by_hand = calibrated(others, {"gemm", "layer_overhead"}).rows[i].error.value();
    CHECK(all.rows[i].left_out.value() == bta::approx(by_hand).epsilon(1e-4));
    sum += std::abs(by_hand);
    worst = std::max(worst, std::abs(by_hand));
  }
  CHECK(all.left_out.value().mean == bta::approx(sum / 9).epsilon(1e-4));
  CHECK(all.left_out.value().worst == bta::approx(worst).epsilon(1e-4));
  CHECK(all.left_out.value().mean > all.residual.mean);
}

TEST_CASE("the only row that determines a value cannot be left out") {
  auto runs = measured_with(dense_runs(fixtures::cs2()), {{"gemm", 0.5}});
  runs.push_back(run_on(fixtures::cs2(), fixtures::qwen3_30b_a3b(), {8, 12}));
  runs = measured_with(std::move(runs), {{"gemm", 0.5}, {"expert_overhead", 1e-3}});
  for (std::size_t i = 0; i < runs.size(); ++i) *runs[i].measured *= i % 2 == 0 ? 1.02 : 0.98;
  const Calibration found = calibrated(runs, {"gemm", "expert_overhead"});
  for (std::size_t i = 0; i + 1 < runs.size(); ++i) CHECK(found.rows[i].left_out.has_value());
  CHECK_FALSE(found.rows.back().left_out.has_value());
  CHECK_FALSE(found.left_out.has_value());
}

TEST_CASE("the only row of a hardware with its own value cannot be left out") {
  Wafer second = fixtures::cs2();
  second.name = "second";
  second.content_hash = "2";
  auto runs = measured_with(dense_runs(fixtures::cs2()), {});
  runs.push_back(measured_with({run_on(second, fixtures::qwen3_4b(), {30, 1})}, {}).front());
  const Calibration found = calibrate({runs, {freedom("gemm", true)}, {}, 0.9});
  CHECK(found.rows.front().left_out.has_value());
  CHECK_FALSE(found.rows.back().left_out.has_value());
}

TEST_SUITE_END();

}  // namespace
