// Predictions against published numbers that nothing was fitted to. Every row has its source, standing and
// tolerance, and fails outside it. Qwen3-30B-A3B series on a CS-2, constant active parameters, S = 2048 (not
// stated by the publishers).
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "plan/plan.h"
#include "validation/loaded.h"

using namespace bta;
using validation::model;
using validation::wafer;

namespace {

Plan series(const Wafer& wafer) {
  const Model qwen = model("qwen3-30b-a3b");
  return make_plan({qwen, wafer, {}, {}, levels(qwen, {.iso_active = true}).value(), true});
}

const Plan& shipped() {
  static const Plan plan = series(wafer("cerebras-cs2"));
  return plan;
}

const PlanRow& at(const Plan& plan, std::int64_t experts, std::int64_t top_k) {
  const auto row = std::ranges::find_if(
      plan.rows, [&](const PlanRow& r) { return r.level->experts == experts && r.level->top_k == top_k; });
  REQUIRE(row != plan.rows.end());
  return *row;
}

bool within(double value, double wanted, double tolerance) {
  return std::abs(value / wanted - 1) <= tolerance;
}

/// The most tokens/s with 64 tiles.
double best_with_64_tiles(std::int64_t top_k, std::int64_t width) {
  const Problem problem =
      make_problem(with_experts(model("qwen3-30b-a3b"), 128, top_k, width), wafer("cerebras-cs2"), {});
  double best = 0;
  for (std::int64_t b = 1;; ++b) {
    const Candidate candidate = evaluate(problem, {b, 64});
    if (candidate.peak > memory_limit(problem.wafer)) return best;
    best = std::max(best, candidate.tokens_per_s);
  }
}

}  // namespace

TEST_SUITE("validation") {
  // Vendor's documentation, rel-2.9.0, batch tiling on attention; top_k 8 from a paraphrase. Relative to what
  // is not stated: taken as the dense level.
  TEST_CASE("loss of the best uniform batch at 128 experts, top_k 8: published 53 %, within 4 points") {
    const double predicted = *at(shipped(), 128, 8).loss_uniform;
    CHECK(std::abs(predicted - 0.53) <= 0.04);
    CHECK(std::round(1000 * predicted) == 502);
  }

  // The same page: "at low top_k", very likely 1.
  TEST_CASE("loss of the best uniform batch at 128 experts, top_k 1: published 86 %, within 3 points") {
    const double predicted = *at(shipped(), 128, 1).loss_uniform;
    CHECK(std::abs(predicted - 0.86) <= 0.03);
    CHECK(std::round(1000 * predicted) == 863);
  }

  // A third party's note on a figure of the paper (doi 10.1145/3731599.3767407).
  TEST_CASE("tokens/s of the best uniform batch at top_k 1: 7,091, within 25 %") {
    const double predicted = at(shipped(), 128, 1).uniform->tokens_per_s;
    CHECK(within(predicted, 7091, 0.25));
    CHECK(std::round(predicted) == 8494);
  }

  TEST_CASE(
      "tokens/s of the best uniform batch at top_k 1 is not within 10 %, and this turns red when it is" *
      doctest::should_fail()) {
    CHECK(within(at(shipped(), 128, 1).uniform->tokens_per_s, 7091, 0.10));
  }

  // The same note: 49,335 at G = 64.
  TEST_CASE("tokens/s with batch tiling at top_k 1: 49,335, within 10 % at 64 tiles and at the optimum") {
    const double optimum = at(shipped(), 128, 1).best->tokens_per_s, tiles_64 = best_with_64_tiles(1, 6144);
    CHECK(within(optimum, 49335, 0.10));
    CHECK(within(tiles_64, 49335, 0.10));
    CHECK(std::round(optimum) == 53137);
    CHECK(std::round(tiles_64) == 52298);
  }

  // "Up to 5x": the paper. 6.96x: the two throughputs above, divided.
  TEST_CASE("speedup of batch tiling at top_k 1: between 5 and 7.5, and the largest of both series") {
    const double predicted = *at(shipped(), 128, 1).speedup;
    CHECK(predicted >= 5);
    CHECK(predicted <= 7.5);
    CHECK(std::round(100 * predicted) == 626);
    for (const PlanRow& row : shipped().rows) CHECK(*row.speedup <= predicted);
  }

  // The paper's figure is flat over both series, G tuned for each level.
  TEST_CASE("with batch tiling both series stay at 80 % of the dense level or above: the worst is 85.5 %") {
    double worst = 1;
    for (const PlanRow& row : shipped().rows) worst = std::min(worst, 1 - *row.loss_bta);
    CHECK(worst >= 0.80);
    CHECK(std::round(1000 * worst) == 855);
  }

  // A coarse sketch with a partial search, made before this program; the true optimum may be better, and is
  // for the uniform batch at k=1.
  TEST_CASE("the hand calculation is met: its four parameters, its throughputs, losses and tiling") {
    const Wafer by_hand = wafer("cerebras-cs2", {{"efficiency.gemm", "0.45"},
                                                 {"efficiency.attention", "0.3"},
                                                 {"efficiency.partial_sum_bytes", "3"},
                                                 {"efficiency.stream_overlap", "0.5"},
                                                 {"efficiency.layer_overhead", "1.5ms"}});
    const Plan plan = series(by_hand);
    const PlanRow &k8 = at(plan, 128, 8), &k1 = at(plan, 128, 1);
    CHECK(within(*k8.loss_uniform, 0.50, 0.05));
    CHECK(within(*k1.loss_uniform, 0.86, 0.05));
    CHECK(within(k1.uniform->tokens_per_s, 8828, 0.05));
    CHECK(k1.best->tiling == Tiling{27, 48});
    CHECK(within(*k1.speedup, 5.8, 0.05));
    CHECK(within(k8.best->tokens_per_s, 61550, 0.05));
    const Model qwen = model("qwen3-30b-a3b");
    const auto tokens_per_s = [&](const Model& m, Tiling tiling) {
      return std::round(evaluate(make_problem(m, by_hand, {}), tiling).tokens_per_s);
    };
    CHECK(tokens_per_s(with_experts(qwen, 128, 1, 6144), {38, 1}) == 8828);
    CHECK(tokens_per_s(with_experts(qwen, 128, 1, 6144), {27, 48}) == 51367);
    CHECK(tokens_per_s(dense_equivalent(qwen), {38, 1}) == 61184);
    CHECK(within(tokens_per_s(qwen, {27, 47}), 61550, 2e-5));
  }
}
