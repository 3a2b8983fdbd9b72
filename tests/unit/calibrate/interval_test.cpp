#include <Eigen/Cholesky>
#include <cmath>
#include <random>

#include "support/approx.h"
#include "unit/calibrate/synthetic.h"

namespace {

using namespace bta;
using namespace bta::test;

/// Twelve rows of three models whose measurements scatter by `sigma` about what `truth` predicts.
std::vector<Run> noisy_runs(const Settings& truth, double sigma, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, sigma);
  std::vector<Run> runs = dense_runs(fixtures::cs2());
  for (const std::int64_t batch : {8, 60, 100})
    runs.push_back(run_on(fixtures::cs2(), fixtures::qwen3_4b(), {batch, 1}));
  runs = measured_with(std::move(runs), truth);
  for (Run& run : runs) *run.measured *= std::exp(normal(random));
  return runs;
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("intervals of 90 % hold the truth in about 90 % of data sets") {
  const Settings truth = {{"gemm", 0.5}, {"layer_overhead", 2e-3}, {"stream_overlap", 0.4}};
  std::vector<int> held(truth.size(), 0);
  constexpr int data_sets = 200;
  for (unsigned seed = 1; seed <= data_sets; ++seed) {
    const auto runs = noisy_runs(truth, 0.02, seed);
    const auto free = free_parameters(freedoms({"gemm", "layer_overhead", "stream_overlap"}), runs);
    const Uncertainty fit = uncertainty(runs, free, least_squares(runs, free, 0), 0.9);
    for (std::size_t i = 0; i < truth.size(); ++i) {
      REQUIRE(fit.estimates[i].low.has_value());
      held[i] +=
          *fit.estimates[i].low <= truth[i].second && truth[i].second <= *fit.estimates[i].high ? 1 : 0;
    }
  }
  for (std::size_t i = 0; i < truth.size(); ++i) {
    CAPTURE(truth[i].first);
    CHECK(held[i] >= 0.80 * data_sets);
    CHECK(held[i] <= 0.97 * data_sets);
  }
}

TEST_CASE("intervals are Student's t times the standard error, and widen with confidence") {
  const auto runs = noisy_runs({{"gemm", 0.5}}, 0.05, 7);
  const auto free = free_parameters(freedoms({"gemm"}), runs);
  const std::vector<double> u = least_squares(runs, free, 4);
  const Uncertainty fit = uncertainty(runs, free, u, 0.9);
  const Estimate& gemm = fit.estimates.at(0);
  const double t = 1.7958848;  // of 11 degrees of freedom at 95 %
  CHECK(fit.degrees_of_freedom == 11);
  CHECK(std::log(*gemm.high / gemm.value()) == bta::approx(t * *gemm.standard_error));
  CHECK(std::log(gemm.value() / *gemm.low) == bta::approx(t * *gemm.standard_error));
  CHECK(*uncertainty(runs, free, u, 0.99).estimates[0].high > *gemm.high);
  CHECK(*fit.scatter == bta::approx(std::sqrt(sum_of_squares(residuals(runs, free, u)) / 11)));
}

TEST_CASE("correlations are symmetric, 1 on the diagonal and positive definite") {
  const auto runs = noisy_runs({{"gemm", 0.5}, {"layer_overhead", 2e-3}}, 0.03, 5);
  const Uncertainty fit = calibrated(runs, {"gemm", "layer_overhead", "stream_overlap"}).fit;
  Eigen::Matrix3d matrix;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      matrix(i, j) = fit.correlation.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j));
      CHECK(fit.correlation[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] ==
            bta::approx(fit.correlation[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)]));
    }
  for (int i = 0; i < 3; ++i) CHECK(matrix(i, i) == 1);
  CHECK(Eigen::LLT<Eigen::Matrix3d>(matrix).info() == Eigen::Success);
}

TEST_CASE("a larger overhead is made up for by a larger efficiency: their errors go together") {
  const auto runs = noisy_runs({{"gemm", 0.5}, {"layer_overhead", 2e-3}}, 0.03, 5);
  CHECK(calibrated(runs, {"gemm", "layer_overhead"}).fit.correlation[0][1] > 0);
}

TEST_SUITE_END();

}  // namespace
