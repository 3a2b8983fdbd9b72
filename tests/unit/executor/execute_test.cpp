// The executor on cases that can be reasoned out: experts without tokens, all tokens on one, cap 1, float.
#include "executor/execute.h"

#include <doctest/doctest.h>

#include <cmath>

#include "executor/plain_step.h"
#include "support/approx.h"
#include "support/fixtures.h"

namespace {

using namespace bta;
using namespace bta::executor;

Config config_of(Model model, Tiling tiling, std::int64_t capacity, std::int64_t seq_len = 4) {
  Workload workload;
  workload.seq_len = seq_len;
  const std::size_t layers = model.layers.size();
  Wafer wafer = fixtures::cs2();
  wafer.rows = 3;
  return {std::move(model), wafer, workload, tiling, 7, std::vector<std::int64_t>(layers, capacity)};
}

Model small_moe(std::int64_t experts, std::int64_t top_k) {
  Model model = fixtures::t1();
  model.hidden = 12;
  model.vocabulary = 17;
  for (Layer& layer : model.layers)
    layer.feed_forward = MoeMlp{.experts = experts, .top_k = top_k, .width = 10};
  return model;
}

StepResult<double> run(const Config& config, const Weights<double>& weights, std::uint64_t seed = 5) {
  return execute<double>(
      config, weights,
      random_batch(config.model, micro_batch(config.tiling).value, config.workload.seq_len, seed));
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

TEST_SUITE_BEGIN("executor");

TEST_CASE(
    "a router of zeros sends every token to the first k experts, the others cost their stream and no FLOPs") {
  const Config config = config_of(small_moe(6, 2), {2, 3}, 100);
  Weights<double> weights = random_weights(config.model, 1);
  for (LayerWeights<double>& layer : weights.layers)
    for (std::size_t i = 12; i < layer.of(Stage::router).size(); ++i) layer.of(Stage::router)[i] = 0;
  const StepResult<double> result = run(config, weights);
  for (std::size_t l = 0; l < 2; ++l) {
    const std::vector<ExpertLoad>& loads = result.measured.counters.layers[l].experts;
    for (std::size_t e = 0; e < 6; ++e) {
      CHECK(loads[e].tokens == (e < 2 ? 24 : 0));
      CHECK(loads[e].fullest_row == (e < 2 ? 8 : 0));
    }
    for (const double gradient : result.gradients.layers[l].experts[5]) CHECK(gradient == 0);
    const Streamed& streamed =
        result.measured.counters.streamed[l][static_cast<std::size_t>(PhaseKind::experts_backward)];
    CHECK(streamed.weights_in == Bytes(6 * 3 * 12 * 10 * 2));
    CHECK(streamed.gradients_out == streamed.weights_in);
  }
}

TEST_CASE("passes of one token each give what one pass gives, up to rounding, with the same FLOPs") {
  const Model model = small_moe(5, 3);
  const Weights<double> weights = random_weights(model, 2);
  const StepResult<double> whole = run(config_of(model, {2, 2}, 100), weights);
  const StepResult<double> single = run(config_of(model, {2, 2}, 1), weights);
  CHECK(single.loss == bta::approx(whole.loss).epsilon(1e-12));
  CHECK(distance(single.gradients.layers[0].experts[2], whole.gradients.layers[0].experts[2]) < 1e-12);
  for (std::size_t i = 0; i < whole.measured.counters.layers[0].operators.size(); ++i)
    CHECK(single.measured.counters.layers[0].operators[i] == whole.measured.counters.layers[0].operators[i]);
  for (std::size_t i = 0; i < whole.measured.phases.size(); ++i)
    if (whole.measured.phases[i].phase == MemoryPhase::moe_forward)
      CHECK(single.measured.phases[i].peak < whole.measured.phases[i].peak);
}

TEST_CASE("float agrees with the plain implementation in double to single precision") {
  const Config config = config_of(small_moe(6, 2), {2, 2}, 100);
  const Weights<double> weights = random_weights(config.model, 3);
  const Batch batch = random_batch(config.model, 4, 4, 3);
  const StepResult<float> result = execute<float>(config, converted<float>(weights), batch);
  const PlainResult plain = plain_step(config.model, weights, batch, 4);
  CHECK(result.loss == bta::approx(plain.loss).epsilon(1e-5));
  CHECK(distance(converted<double>(result.gradients).head, plain.gradients.head) < 1e-5);
}

TEST_CASE("one token, one sequence, one tile, one expert") {
  Model model = small_moe(1, 1);
  const StepResult<double> result = run(config_of(model, {1, 1}, 1, 1), random_weights(model, 4));
  CHECK(std::isfinite(result.loss));
  CHECK(result.measured.tensors_left == 0);
}

TEST_CASE("the same schedule without data counts what it counts with data") {
  const Config config = config_of(small_moe(6, 2), {2, 3}, 4);
  const StepResult<double> real = run(config, random_weights(config.model, 6));
  const Measured shapes =
      execute_shapes(config, [&](std::size_t layer) { return real.measured.counters.layers[layer].experts; });
  CHECK(shapes.peak == real.measured.peak);
  CHECK(shapes.counters.streamed == real.measured.counters.streamed);
  CHECK(shapes.timeline.seconds(1) == real.measured.timeline.seconds(1));
  for (std::size_t l = 0; l < shapes.counters.layers.size(); ++l)
    for (std::size_t i = 0; i < shapes.counters.layers[l].operators.size(); ++i) {
      CHECK(shapes.counters.layers[l].operators[i].forward ==
            real.measured.counters.layers[l].operators[i].forward);
      CHECK(shapes.counters.layers[l].operators[i].gradients ==
            real.measured.counters.layers[l].operators[i].gradients);
    }
}

TEST_CASE("the events of the arena add up to nothing and never exceed its peak") {
  const Config config = config_of(small_moe(3, 1), {1, 2}, 5);
  const Measured shapes = execute_shapes(config,
                                         [](std::size_t) {
                                           return std::vector<ExpertLoad>{{4, 2}, {4, 2}, {0, 0}};
                                         },
                                         {.arena_events = true});
  Bytes sum, most;
  for (const ArenaEvent& event : shapes.arena_events) {
    sum += event.change;
    CHECK(event.current == sum);
    most = std::max(most, sum);
  }
  CHECK(sum == 0_B);
  CHECK(most == shapes.peak);
}

TEST_SUITE_END();

}  // namespace
