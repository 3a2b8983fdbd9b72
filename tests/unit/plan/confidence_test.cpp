#include "plan/confidence.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/approx.h"
#include "support/fixtures.h"

using namespace bta;

namespace {

/// A CS-2 whose record has `scale` times usual errors.
Wafer unsure(double scale) {
  Wafer wafer = fixtures::cs2();
  wafer.calibration = CalibrationRecord{"rows",
                                        20,
                                        0.05,
                                        {{"gemm=attention", 0.1 * scale}, {"layer_overhead", 4e-4 * scale}},
                                        {{1, 0.5}, {0.5, 1}}};
  return wafer;
}

Plan sure_plan(const Wafer& wafer, const std::vector<Level>& levels, double confidence = 0.9) {
  Plan plan = make_plan({fixtures::qwen3_30b_a3b(), wafer, {}, {}, levels, true});
  add_confidence(plan, confidence);
  return plan;
}

const std::vector<Level> two_levels = {{32, 8, 768}, {128, 4, 1536}};

void check_holds(const Interval& interval, double value) {
  CHECK(interval.low < value);
  CHECK(value < interval.high);
}

double relative_width(const Interval& interval) {
  return interval.high / interval.low - 1;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("intervals hold what is planned") {
    for (const PlanRow& row : sure_plan(unsure(1), two_levels).rows) {
      REQUIRE(row.confidence.has_value());
      const RowConfidence& sure = *row.confidence;
      check_holds(sure.tokens_per_s, row.best->tokens_per_s);
      check_holds(*sure.uniform_tokens_per_s, row.uniform->tokens_per_s);
      check_holds(*sure.dense_tokens_per_s, row.dense->tokens_per_s);
      check_holds(*sure.speedup, *row.speedup);
      check_holds(*sure.loss_uniform, *row.loss_uniform);
      check_holds(*sure.loss_bta, *row.loss_bta);
    }
  }

  TEST_CASE("intervals shrink with the standard errors, and widen with confidence") {
    const auto width = [&](double scale, double confidence) {
      return relative_width(
          sure_plan(unsure(scale), two_levels, confidence).rows[1].confidence->tokens_per_s);
    };
    const double usual = width(1, 0.9), small = width(0.1, 0.9);
    CHECK(small < 0.2 * usual);
    CHECK(small > 0.05 * usual);
    CHECK(width(1, 0.5) < usual);
    CHECK(width(1, 0.99) > usual);
  }

  TEST_CASE("without errors every interval is its value, and nothing flips") {
    const Plan plan = sure_plan(unsure(0), two_levels);
    for (const PlanRow& row : plan.rows) {
      const RowConfidence& sure = row.confidence.value();
      CHECK(sure.tokens_per_s.low == bta::approx(row.best->tokens_per_s).epsilon(1e-12));
      CHECK(sure.tokens_per_s.high == sure.tokens_per_s.low);
      CHECK(sure.speedup->low == bta::approx(*row.speedup).epsilon(1e-12));
      CHECK(sure.speedup->high == sure.speedup->low);
      CHECK(sure.loss_bta->high == sure.loss_bta->low);
      CHECK(sure.flips == 0);
      CHECK_FALSE(sure.rival.has_value());
    }
    CHECK(plan.confidence.value().order.empty());
  }

  TEST_CASE("a speedup is surer than its throughputs: what is wrong in both cancels") {
    for (const PlanRow& row : sure_plan(unsure(1), two_levels).rows) {
      const RowConfidence& sure = row.confidence.value();
      CHECK(relative_width(*sure.speedup) < relative_width(sure.tokens_per_s));
      CHECK(relative_width(*sure.speedup) < relative_width(*sure.uniform_tokens_per_s));
    }
  }

  TEST_CASE("a plan says with which confidence and from how many draws") {
    const Plan plan = sure_plan(unsure(1), two_levels, 0.8);
    CHECK(plan.confidence->confidence == 0.8);
    CHECK(plan.confidence->samples == 2047);
  }

  TEST_CASE("confidence is the same every time") {
    const Plan one = sure_plan(unsure(1), two_levels), other = sure_plan(unsure(1), two_levels);
    for (std::size_t i = 0; i < one.rows.size(); ++i) {
      CHECK(one.rows[i].confidence->tokens_per_s.low == other.rows[i].confidence->tokens_per_s.low);
      CHECK(one.rows[i].confidence->flips == other.rows[i].confidence->flips);
    }
  }

  TEST_CASE("another tiling that overtakes the planned one in many draws is named") {
    Wafer wafer = fixtures::cs2();
    wafer.calibration = CalibrationRecord{"rows", 20, 0.05, {{"tile_overhead", 5e-3}}, {{1}}};
    const PlanRow row = sure_plan(wafer, {{128, 2, 3072}}).rows.at(0);
    CHECK(row.confidence->flips > 0);
    CHECK(row.confidence->flips <= 1);
    REQUIRE(row.confidence->rival.has_value());
    CHECK_FALSE(*row.confidence->rival == row.best->tiling);
    CHECK(row.confidence->rival->tiles < row.best->tiling.tiles);
  }

  TEST_CASE("two levels that are nearly equal are told to have an order that is not sure") {
    const std::vector<Level> levels = {{64, 8, 768}, {64, 8, 767}};
    const Plan far = sure_plan(unsure(1), two_levels);
    CHECK(far.confidence->order.empty());
    Wafer wafer = fixtures::cs2();
    wafer.calibration =
        CalibrationRecord{"rows", 20, 0.05, {{"expert_overhead", 2e-4}, {"gemm", 0.3}}, {{1, 0}, {0, 1}}};
    // More experts cost more overheads, wider ones more compute: about the same where both are as planned.
    double best_gap = 1;
    std::int64_t width = 0;
    for (std::int64_t f = 700; f <= 1000; f += 10) {
      wafer.expert_overhead_s = 3e-4;
      const Plan plan =
          make_plan({fixtures::qwen3_30b_a3b(), wafer, {}, {}, {{128, 8, 768}, {64, 8, f}}, false});
      const double gap = std::abs(plan.rows[0].best->tokens_per_s / plan.rows[1].best->tokens_per_s - 1);
      if (gap < best_gap) {
        best_gap = gap;
        width = f;
      }
    }
    CAPTURE(width);
    REQUIRE(best_gap < 0.02);
    const Plan near = sure_plan(wafer, {{128, 8, 768}, {64, 8, width}});
    REQUIRE(near.confidence->order.size() == 1);
    const OrderFlip& flip = near.confidence->order[0];
    CHECK(near.rows[flip.faster].best->tokens_per_s > near.rows[flip.slower].best->tokens_per_s);
    CHECK(flip.share > 0.2);
    CHECK(flip.share < 0.8);
  }

  TEST_CASE("a dense model has intervals of what it has") {
    Plan plan = make_plan({fixtures::qwen3_4b(), unsure(1), {}, {}, {}, false});
    add_confidence(plan, 0.9);
    const RowConfidence& sure = plan.rows.at(0).confidence.value();
    check_holds(sure.tokens_per_s, plan.rows[0].best->tokens_per_s);
    CHECK(sure.speedup.has_value() == plan.rows[0].speedup.has_value());
    CHECK(sure.loss_bta.has_value() == plan.rows[0].loss_bta.has_value());
  }

  TEST_CASE("a row that is not feasible has no confidence") {
    Wafer wafer = unsure(1);
    wafer.sram_per_core = Bytes(64);
    const Plan plan = sure_plan(wafer, two_levels);
    for (const PlanRow& row : plan.rows) CHECK_FALSE(row.confidence.has_value());
    CHECK(plan.confidence->order.empty());
  }

  TEST_CASE("a wafer says why it can give no confidence") {
    CHECK(why_not_sure(unsure(1)).empty());
    const std::string none =
        "cs2 has no record of a calibration, so nothing is known of how sure its numbers are; 'bta-plan "
        "calibrate' writes one";
    Wafer wafer = fixtures::cs2();
    CHECK(why_not_sure(wafer) == none);
    wafer.calibration = CalibrationRecord{};
    CHECK(why_not_sure(wafer) == none);
    wafer = unsure(1);
    wafer.calibration->correlation = {{1, 1}, {1, 1}};
    CHECK(why_not_sure(wafer) ==
          "the correlations in the calibration of cs2 are none: the matrix is not positive definite");
  }
}
