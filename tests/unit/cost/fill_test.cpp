#include "cost/fill.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "cost/fill_parts.h"
#include "cost/step_time.h"
#include "support/approx.h"
#include "support/random_problem.h"

using namespace bta;

namespace {

/// What runs at the same time.
struct Beat {
  double work, in, out;
};

double lasts(const std::vector<Beat>& beats, double omega) {
  double seconds = 0;
  for (const Beat& beat : beats)
    seconds += combine(std::array{beat.work, std::max(beat.in, beat.out)}, omega);
  return seconds;
}

/// One layer's phase, event by event, from the operators' parameters and the tensors' bytes.
class Run {
 public:
  Run(const Problem& problem, const ProblemLayer& layer, Tiling tiling, const LayerLoads& loads)
      : problem_(problem), layer_(layer), tiling_(tiling), loads_(loads) {}

  double seconds(PhaseKind kind, double omega) const {
    using enum PhaseKind;
    if (kind == experts_forward) return experts_forward_s(omega);
    if (kind == experts_backward) return lasts(experts_backward_beats(), omega);
    const bool backward = phase_rule(kind).passes.gradients;
    const bool x = kind == attention_forward || kind == attention_recompute || kind == attention_backward;
    const bool y = kind == dense_mlp_forward || kind == dense_mlp_backward;
    const bool comes_in = backward || kind == attention_recompute;
    const double tile = (x && !kept()) || (y && streams_y()) ? bytes_of(tiling_.tile_batch) : 0;
    const bool whole = kind == router_forward || kind == router_backward;
    std::vector<Beat> beats{{0, weights(kind) + (comes_in ? tile / in_rate() : 0), 0}};
    for (std::int64_t i = 1, tiles = whole ? 1 : tiling_.tiles; i <= tiles; ++i)
      beats.push_back({work(kind), comes_in && i < tiles ? tile / in_rate() : 0,
                       comes_in ? 0 : tile / problem_.wafer.stream_out_bytes_per_s});
    if (backward) beats.push_back({0, 0, gradients(kind)});
    return lasts(beats, omega);
  }

 private:
  bool kept() const { return problem_.workload.checkpoint == Checkpoint::wafer; }
  bool streams_y() const { return problem_.workload.checkpoint == Checkpoint::XY; }
  double in_rate() const { return problem_.wafer.stream_in_bytes_per_s; }
  double bytes_of(std::int64_t sequences) const { return as_double(activation_bytes(problem_, sequences)); }
  double parameters(PhaseKind kind) const {
    return as_double(stage_parameters(layer_.operators, phase_rule(kind).stage));
  }
  double weights(PhaseKind kind) const { return 2 * parameters(kind) / in_rate(); }
  double gradients(PhaseKind kind) const {
    return 2 * parameters(kind) / problem_.wafer.stream_out_bytes_per_s;
  }

  double work(PhaseKind kind) const {
    const auto [stage, passes] = phase_rule(kind);
    const bool whole = stage == Stage::router;
    const std::int64_t sequences = whole ? micro_batch(tiling_).value : tiling_.tile_batch;
    const double slots = row_slots(sequences * problem_.workload.seq_len, problem_.wafer, Precision::fp16);
    const double overhead = stage == Stage::attention ? problem_.wafer.tile_overhead_s : 0;
    return overhead +
           stage_time(layer_.operators, stage, slots, passes, problem_.wafer, problem_.workload).seconds;
  }

  double y_bytes() const { return streams_y() ? bytes_of(micro_batch(tiling_).value) : 0; }
  double moves(double times) const {
    if (problem_.workload.placement == Placement::masked) return 0;
    const auto& moe = std::get<MoeMlp>(layer_.layer.feed_forward);
    return times * bytes_of(micro_batch(tiling_).value) * as_double(moe.top_k) /
           (4 * as_double(problem_.wafer.columns) * problem_.wafer.link_bytes_per_cycle) /
           problem_.wafer.clock_hz;
  }

  /// E experts of one certain row load each.
  double expert(std::size_t e, bool backward) const {
    const ForwardBackward work = expert_work(problem_, layer_, loads_[e].slots.front().slots);
    return backward ? work.backward.seconds : work.forward.seconds;
  }

  double experts_forward_s(double omega) const {
    const double s = weights(PhaseKind::experts_forward);
    std::vector<Beat> beats{{0, s, 0}};
    for (std::size_t e = 0; e < loads_.size(); ++e)
      beats.push_back({expert(e, false), e + 1 < loads_.size() ? s : 0, 0});
    beats.push_back({moves(2), 0, 0});
    const double y = y_bytes() / problem_.wafer.stream_out_bytes_per_s;
    return omega * std::max(lasts(beats, 1), y) + (1 - omega) * (lasts(beats, 0) + y);
  }

  std::vector<Beat> experts_backward_beats() const {
    const double s = weights(PhaseKind::experts_backward), g = gradients(PhaseKind::experts_backward);
    std::vector<Beat> beats{{0, y_bytes() / in_rate(), 0}, {0, s, 0}};
    for (std::size_t e = 0; e < loads_.size(); ++e)
      beats.push_back({expert(e, true), e + 1 < loads_.size() ? s : 0, e > 0 ? g : 0});
    beats.push_back({0, 0, g});
    beats.push_back({moves(3), 0, 0});
    return beats;
  }

  const Problem& problem_;
  const ProblemLayer& layer_;
  Tiling tiling_;
  const LayerLoads& loads_;
};

/// Every expert at slots of its own.
std::vector<LayerLoads> certain_loads(const Problem& problem, fixtures::RandomProblem& random) {
  std::vector<LayerLoads> loads(problem.layers.size());
  const std::int64_t v = vector_width(problem.wafer, Precision::fp16);
  for (std::size_t i = 0; i < loads.size(); ++i)
    if (const auto* moe = std::get_if<MoeMlp>(&problem.layers[i].layer.feed_forward))
      for (std::int64_t e = 0; e < moe->experts; ++e)
        loads[i].push_back({1, {{as_double(v * random.between(0, 5)), 1}}});
  return loads;
}

void check_against_run(const Problem& problem, Tiling tiling, const std::vector<LayerLoads>& loads) {
  const double omega = problem.wafer.stream_overlap;
  const std::vector<PhaseFill> fills = fill_and_drain(problem, tiling, loads);
  const std::vector<PhaseTime> phases = step_time(problem, tiling, loads).phases;
  REQUIRE(fills.size() == phases.size());
  for (std::size_t i = 0; i < fills.size(); ++i) {
    CAPTURE(phase_name(fills[i].kind));
    REQUIRE(fills[i].kind == phases[i].kind);
    const double closed = phases[i].timed.seconds;
    if (fills[i].kind == PhaseKind::fixed || fills[i].kind == PhaseKind::head) continue;
    const ProblemLayer& layer = problem.layers[fills[i].layer];
    const double run = as_double(layer.count) *
                       Run(problem, layer, tiling, loads[fills[i].layer]).seconds(fills[i].kind, omega);
    CHECK(closed + fills[i].seconds == bta::approx(run).epsilon(1e-12));
    CHECK(fills[i].serial >= -1e-12 * closed);
    CHECK(fills[i].overlapped >= -1e-12 * closed);
    const double line = omega * fills[i].overlapped + (1 - omega) * fills[i].serial;
    CHECK(fills[i].seconds >= line - 1e-12 * closed);
    if (omega == 0 || omega == 1) CHECK(fills[i].seconds == bta::approx(line));
  }
}

}  // namespace

TEST_SUITE("unit") {
  using fill_parts::Channels;

  TEST_CASE("tiles, by hand: the weights first, then each tile beside its own checkpoint") {
    const Channels forward{.weights_in = 5, .checkpoint_in = 0, .gradients_out = 0, .checkpoint_out = 1};
    CHECK(fill_parts::tiled_run(forward, 2, 3).serial == 5 + 3 * (2 + 1));
    CHECK(fill_parts::tiled_run(forward, 2, 3).overlapped == 5 + 3 * 2);
    CHECK(fill_parts::tiled_closed(forward, 2, 3, 0) == 6 + 5);
    CHECK(fill_parts::tiled_closed(forward, 2, 3, 1) == 6);
    const Channels backward{.weights_in = 5, .checkpoint_in = 3, .gradients_out = 4, .checkpoint_out = 0};
    CHECK(fill_parts::tiled_run(backward, 2, 3).serial == (5 + 3) + (2 + 3) + (2 + 3) + 2 + 4);
    CHECK(fill_parts::tiled_run(backward, 2, 3).overlapped == (5 + 3) + 3 + 3 + 2 + 4);
    CHECK(fill_parts::tiled_closed(backward, 2, 3, 0) == 6 + 14);
    CHECK(fill_parts::tiled_closed(backward, 2, 3, 1) == 14);
  }

  TEST_CASE("experts without work, by hand: loads and stores stand two beats apart") {
    Wafer wafer = fixtures::cs2();
    wafer.clock_hz = 1e30;
    const Problem problem = make_problem(fixtures::t1(), wafer, {});
    const double c = 3 * 64 * 32 * 2 / 150e9;  // one expert in or out
    for (const PhaseFill& fill : fill_and_drain(problem, {2, 3})) {
      if (fill.kind == PhaseKind::experts_forward) CHECK(fill.overlapped == 0);
      if (fill.kind != PhaseKind::experts_backward) continue;
      CHECK(fill.overlapped == bta::approx(2 * 2 * c));  // of 2 layers
      CHECK(fill.serial == bta::approx(2 * 2 * c));
    }
  }

  TEST_CASE("experts that hide their stream, by hand: the first load, the last store, and Y before both") {
    Wafer wafer = fixtures::cs2();
    wafer.expert_overhead_s = 1;
    const Problem problem = make_problem(fixtures::t1(), wafer, {});
    const double c = 3 * 64 * 32 * 2 / 150e9, y = 6.0 * 2048 * 64 * 2 / 150e9;
    for (const PhaseFill& fill : fill_and_drain(problem, {2, 3})) {
      if (fill.kind == PhaseKind::experts_forward) CHECK(fill.overlapped == bta::approx(2 * c));
      if (fill.kind == PhaseKind::experts_backward) CHECK(fill.overlapped == bta::approx(2 * (y + 2 * c)));
    }
  }

  TEST_CASE("the closed form and its fill are a run event by event, at every omega, and never shorter") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      CAPTURE(seed);
      fixtures::RandomProblem random(seed);
      Problem problem = random.problem();
      const std::vector<LayerLoads> loads = certain_loads(problem, random);
      for (const double omega : {0.0, 0.25, 1.0}) {
        problem.wafer.stream_overlap = omega;
        check_against_run(problem, {random.between(1, 3), random.between(1, 4)}, loads);
      }
    }
  }

  TEST_CASE("one group of E experts is E groups of one") {
    for (const std::int64_t experts : {1, 2, 5}) {
      Model model = with_experts(fixtures::t1(), experts, 1, 32);
      Wafer wafer = fixtures::cs2();
      wafer.stream_in_bytes_per_s = 3e9;
      const Problem problem = make_problem(model, wafer, {});
      std::vector<LayerLoads> split = expected_loads(problem, 6);
      REQUIRE(split[0].size() == 1);
      split[0].front().experts = 1;
      split[0].resize(static_cast<std::size_t>(experts), split[0].front());
      const std::vector<PhaseFill> one = fill_and_drain(problem, {2, 3});
      const std::vector<PhaseFill> many = fill_and_drain(problem, {2, 3}, split);
      for (std::size_t i = 0; i < one.size(); ++i) {
        CHECK(one[i].serial == bta::approx(many[i].serial));
        CHECK(one[i].overlapped == bta::approx(many[i].overlapped));
      }
    }
  }

  TEST_CASE("the head: weight in, chunks, gradient out, one after the other") {
    const Problem problem = make_problem(fixtures::t1(), fixtures::cs2(), {});
    const double c = (6400 + 64) * 2 / 150e9, w = head_work(problem, 6 * 2048).seconds;
    const PhaseFill head = *(fill_and_drain(problem, {2, 3}).end() - 2);
    CHECK(head.kind == PhaseKind::head);
    CHECK(head.serial == bta::approx(c));
    CHECK(head.overlapped == bta::approx(2 * c + w - std::max(c, w)));
  }
}
