// Does every number of a wafer get the effect that it has?
#include "plan/sensitivity.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "plan/explain.h"
#include "support/approx.h"
#include "support/random_problem.h"

using namespace bta;

namespace {

const ParameterEffect& effect_of(const Sensitivity& s, std::string_view name) {
  const auto found = std::ranges::find(s.effects, find_parameter(name), &ParameterEffect::parameter);
  REQUIRE(found != s.effects.end());
  return *found;
}

double elasticity_of(const Sensitivity& s, std::string_view name) {
  return effect_of(s, name).elasticity.value_or(0);
}

Problem qwen_on(const Wafer& wafer) {
  return make_problem(fixtures::qwen3_30b_a3b(), wafer, {});
}

Sensitivity of_best(const Problem& problem) {
  return sensitivity(problem, {}, search(problem, {}).best.at(0).tiling);
}

/// Of a tiling on a core with room for so much that a search takes long.
Sensitivity of_point(const Problem& problem, Tiling tiling) {
  Constraints few;
  few.max_micro_batch = 8;
  return sensitivity(problem, few, tiling);
}

constexpr std::array rates = {"core.clock", "off_wafer.stream_in", "off_wafer.stream_out"};
constexpr std::array times = {"layer_overhead", "tile_overhead", "expert_overhead"};

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("sensitivity: one core that only computes follows its clock, and each efficiency by its share") {
    Wafer wafer = fixtures::one_core();
    wafer.stream_in_bytes_per_s = wafer.stream_out_bytes_per_s = 1e24;
    wafer.attention_efficiency = 0.25;
    const Problem problem = qwen_on(wafer);
    const Sensitivity s = of_point(problem, {2, 3});
    double attention = 0, all = 0;
    for (const OperatorCost& op : explain(problem, {}, {2, 3}).operators) {
      all += op.busy[Resource::compute];
      if (op.flop_class == FlopClass::attention) attention += op.busy[Resource::compute];
    }
    CHECK(elasticity_of(s, "clock") == bta::approx(1).epsilon(1e-9));
    CHECK(elasticity_of(s, "efficiency.attention") == bta::approx(attention / all).epsilon(1e-7));
    CHECK(elasticity_of(s, "gemm") == bta::approx(1 - attention / all).epsilon(1e-4));  // one-sided at 1
    for (const char* const idle : {"sram_read_bytes_per_cycle", "link_bytes_per_cycle", "stream_in",
                                   "stream_out", "partial_sum_bytes"})
      CHECK(elasticity_of(s, idle) == 0);
  }

  TEST_CASE("sensitivity: one core that only waits for its stream follows the stream and nothing else") {
    Wafer wafer = fixtures::one_core();
    wafer.stream_in_bytes_per_s = 1e3;
    const Sensitivity s = of_point(qwen_on(wafer), {2, 3});
    for (const ParameterEffect& e : s.effects) {
      CAPTURE(e.parameter->key);
      if (!e.elasticity) continue;
      CHECK(*e.elasticity == bta::approx(e.parameter->key == "off_wafer.stream_in" ? 1 : 0).epsilon(1e-9));
    }
  }

  TEST_CASE("sensitivity: rows held up by partial sums follow the link, and the bytes of a sum against it") {
    Wafer wafer = fixtures::one_core();
    wafer.stream_in_bytes_per_s = wafer.stream_out_bytes_per_s = 1e24;
    wafer.clock_hz = 1;
    wafer.link_bytes_per_cycle = 1e-3;
    wafer.partial_sum_bytes = 32;
    const Sensitivity s = of_point(qwen_on(wafer), {2, 3});
    CHECK(elasticity_of(s, "link_bytes_per_cycle") > 0.9);
    CHECK(elasticity_of(s, "partial_sum_bytes") < -0.8);
  }

  TEST_CASE("sensitivity: an overhead takes its share of the step") {
    const Problem problem = qwen_on(fixtures::cs2());
    const Sensitivity s = sensitivity(problem, {}, {27, 47});
    CHECK(elasticity_of(s, "layer_overhead") == bta::approx(-2 * 48 * 1.5e-3 / s.point.step_s).epsilon(1e-7));
    CHECK_FALSE(effect_of(s, "tile_overhead").elasticity.has_value());  // 0 s
    const SmallStep tile = *effect_of(s, "tile_overhead").step;  // forward, and backward with recompute
    CHECK(tile.change == bta::approx(-1 + 1 / (1 + 2 * 48 * 47 * 1e-4 / s.point.step_s)).epsilon(0.02));
  }

  TEST_CASE("sensitivity: all rates together, less all times, add up to 1, and each rate has 0 to 1 of it") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      CAPTURE(seed);
      fixtures::RandomProblem random(seed);
      const Problem problem = random.problem();
      const Sensitivity s = of_point(problem, {random.between(1, 4), random.between(1, 4)});
      double sum = 0;
      for (const char* const rate : rates) {
        const double part = elasticity_of(s, rate);
        CHECK(part >= -1e-9);
        CHECK(part <= 1 + 1e-9);
        sum += part;
      }
      for (const char* const time : times) sum -= elasticity_of(s, time);
      CHECK(sum == bta::approx(1).epsilon(2e-4));  // exact but where two resources are equally busy
      for (const char* const better : {"efficiency.gemm", "efficiency.attention", "link_bytes_per_cycle"})
        CHECK(elasticity_of(s, better) >= -1e-9);
      CHECK(elasticity_of(s, "partial_sum_bytes") <= 1e-9);
    }
  }

  TEST_CASE("sensitivity: more memory does nothing for a tiling and buys a larger batch") {
    const Sensitivity s = of_best(qwen_on(fixtures::cs2()));
    const ParameterEffect& sram = effect_of(s, "core.sram");
    CHECK(*sram.elasticity == 0);
    CHECK(sram.step->change == 0);
    CHECK(sram.step->fits);
    CHECK(*sram.more->change > 0);
    CHECK(*sram.less->change < 0);
    CHECK(micro_batch(*sram.more->tiling).value > micro_batch(s.point.tiling).value);
  }

  TEST_CASE("sensitivity: replanned is the best of another search, against the best of the first") {
    const Problem problem = qwen_on(fixtures::cs2());
    const Sensitivity s = sensitivity(problem, {}, {12, 8});  // not the best, which is compared all the same
    const WaferParameter& stream = *find_parameter("stream_in");
    const Candidate more =
        search(make_problem(problem.model, with(problem.wafer, stream, 165e9), problem.workload), {}).best[0];
    CHECK(s.best->tiling == Tiling{27, 47});
    CHECK(effect_of(s, "stream_in").more->value == 165e9);
    CHECK(effect_of(s, "stream_in").more->tiling == more.tiling);
    CHECK(*effect_of(s, "stream_in").more->change == more.tokens_per_s / s.best->tokens_per_s - 1);
  }

  TEST_CASE("sensitivity: the largest replanned change comes first, ties in the order of the file") {
    const Sensitivity s = of_best(qwen_on(fixtures::cs2()));
    for (std::size_t i = 1; i < s.effects.size(); ++i) {
      const ParameterEffect &before = s.effects[i - 1], &after = s.effects[i];
      CHECK(largest_change(before) >= largest_change(after));
      if (largest_change(before) == largest_change(after)) CHECK(before.parameter < after.parameter);
    }
  }

  TEST_CASE("sensitivity: numbers at the end of their range step the other way, or not at all") {
    const Sensitivity s = of_best(qwen_on(fixtures::cs2()));
    const ParameterEffect& overlap = effect_of(s, "wafer_overlap");  // 1
    CHECK(overlap.step->value == 0.99);
    CHECK(overlap.less->value == 0.95);
    CHECK_FALSE(overlap.more.has_value());
    CHECK_FALSE(overlap.elasticity.has_value());
    const ParameterEffect& heads = effect_of(s, "score_heads");  // all 32
    CHECK(heads.value == 32);
    CHECK(heads.step->value == 31);
    CHECK(heads.less->value == 29);
    CHECK_FALSE(heads.more.has_value());
    CHECK_FALSE(effect_of(s, "tile_overhead").less.has_value());        // 0 s
    CHECK(effect_of(s, "core.reserved_fraction").less->value == 0);     // 0.02, cut short
    CHECK(effect_of(s, "score_tensors_backward").step->fits == false);  // 4 of them
    CHECK(effect_of(s, "score_tensors_backward").step->change == 0);
  }

  TEST_CASE("sensitivity: what has no part in the problem is left out or without effect") {
    Wafer wafer = fixtures::cs2();
    wafer.vector_width.bf16 = 4;
    const Sensitivity s = of_best(qwen_on(wafer));
    CHECK(std::ranges::count(s.effects, find_parameter("bf16"), &ParameterEffect::parameter) == 0);
    CHECK(std::ranges::count(s.effects, find_parameter("fp32"), &ParameterEffect::parameter) == 0);
    CHECK(s.effects.size() == wafer_parameters().size() - 2);
    CHECK_FALSE(has_effect(effect_of(s, "block_rows")));  // of a blocked kernel
    CHECK(has_effect(effect_of(s, "core.sram")));
  }

  TEST_CASE("sensitivity: less memory than one sequence needs loses all, and more makes a problem feasible") {
    Wafer wafer = fixtures::one_core();
    const Problem roomy = qwen_on(wafer);
    wafer.sram_per_core = evaluate(roomy, {1, 1}).peak;
    const Sensitivity tight = sensitivity(qwen_on(wafer), {}, {1, 1});
    CHECK(effect_of(tight, "core.sram").less->change == -1.0);
    CHECK_FALSE(effect_of(tight, "core.sram").less->tiling.has_value());
    CHECK(tight.effects.front().parameter == find_parameter("core.sram"));

    wafer.sram_per_core = wafer.sram_per_core - Bytes(1);
    const Sensitivity none = sensitivity(qwen_on(wafer), {}, {1, 1});
    CHECK_FALSE(none.best.has_value());
    CHECK_FALSE(none.reason.empty());
    CHECK_FALSE(effect_of(none, "core.sram").more->change.has_value());
    CHECK(effect_of(none, "core.sram").more->tiling == Tiling{1, 1});
    CHECK(*effect_of(none, "core.clock").elasticity == *effect_of(tight, "core.clock").elasticity);
  }
}
