#include "cost/step_time.h"

#include <doctest/doctest.h>

#include <map>

#include "plan/search.h"
#include "support/approx.h"
#include "support/fixtures.h"

using namespace bta;

namespace {

std::map<PhaseKind, double> seconds_by_phase(const StepTime& step) {
  std::map<PhaseKind, double> seconds;
  for (const PhaseTime& phase : step.phases) seconds[phase.kind] += phase.timed.seconds;
  return seconds;
}

Workload with(Checkpoint checkpoint) {
  Workload workload;
  workload.checkpoint = checkpoint;
  return workload;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("one point phase by phase equals an independent calculation: B=12, G=8, 128 experts, top_k 2") {
    // Done in another language, independently, without the norm gains in the stream: hence 1e-3 where they
    // count.
    const Problem problem = make_problem(fixtures::qwen3_30b_a3b(128, 2, 3072), fixtures::cs2(), {});
    auto seconds = seconds_by_phase(step_time(problem, {12, 8}));
    using enum PhaseKind;
    CHECK(seconds[attention_forward] == bta::approx(0.447717802977).epsilon(1e-11));
    CHECK(seconds[attention_backward] == bta::approx(1.10633834475).epsilon(1e-6));
    CHECK(seconds[router_forward] == bta::approx(0.00177855436283).epsilon(1e-3));
    CHECK(seconds[router_backward] == bta::approx(0.0168783135547).epsilon(1e-4));
    CHECK(seconds[experts_forward] == bta::approx(2.14395319719).epsilon(1e-11));
    CHECK(seconds[experts_backward] == bta::approx(3.71543788241).epsilon(1e-11));
    CHECK(seconds[head] == bta::approx(0.127797636086).epsilon(1e-6));
    CHECK(seconds[fixed] == bta::approx(0.144).epsilon(1e-14));
  }

  TEST_CASE("the smallest point too: B=1, G=1, 128 experts, top_k 8") {
    const Problem problem = make_problem(fixtures::qwen3_30b_a3b(), fixtures::cs2(), {});
    auto seconds = seconds_by_phase(step_time(problem, {1, 1}));
    using enum PhaseKind;
    CHECK(seconds[attention_forward] == bta::approx(0.0149266382352).epsilon(1e-4));
    CHECK(seconds[attention_backward] == bta::approx(0.024729288042).epsilon(1e-4));
    CHECK(seconds[experts_forward] == bta::approx(0.431077855108).epsilon(1e-11));
    CHECK(seconds[experts_backward] == bta::approx(0.517455097484).epsilon(1e-11));
    CHECK(seconds[head] == bta::approx(0.00540609773899).epsilon(1e-4));
  }

  TEST_CASE("a head chunk that misses the grid by a few tokens costs the head nearly twice") {
    Workload workload;
    workload.head_chunk = 4096;
    const Problem problem = make_problem(fixtures::qwen3_30b_a3b(128, 2, 3072), fixtures::cs2(), workload);
    CHECK(seconds_by_phase(step_time(problem, {12, 8}))[PhaseKind::head] ==
          bta::approx(0.243462983059).epsilon(1e-6));
  }

  TEST_CASE(
      "weights-only bound of the experts: max(1.207959552 ms, 75,497,472 T/1e14), ridge at 1600 tokens") {
    Workload workload;
    workload.seq_len = 1;
    Model model = fixtures::qwen3_30b_a3b();
    model.layers.resize(1);
    const Problem problem = make_problem(model, fixtures::one_core(), workload);
    const auto stage_s = [&](double tokens) {  // all experts evenly full
      return 128 * expert_time(problem, problem.layers[0], tokens * 8 / 128).forward.seconds;
    };
    CHECK(stage_s(400) == bta::approx(1.207959552e-3).epsilon(1e-14));
    CHECK(stage_s(1600) == bta::approx(1.207959552e-3).epsilon(1e-14));
    CHECK(stage_s(3200) == bta::approx(75497472 * 3200.0 / 1e14).epsilon(1e-14));
    const auto gain = [&](double tiles) { return stage_s(400) * tiles / stage_s(400 * tiles); };
    CHECK(gain(1) == 1.0);
    CHECK(gain(2) == bta::approx(2).epsilon(1e-14));
    CHECK(gain(4) == bta::approx(4).epsilon(1e-14));
    CHECK(gain(8) == bta::approx(4).epsilon(1e-14));
  }

  TEST_CASE("checkpoints travel: X with the attention phases, Y with the experts, nothing when kept") {
    const Model model = fixtures::t1();
    const double x = 6.0 * 2048 * 64 * 2;  // bytes at N = 6
    const auto streamed = [&](Checkpoint checkpoint) {
      return step_time(make_problem(model, fixtures::cs2(), with(checkpoint)), {2, 3}).busy;
    };
    const ResourceTimes kept = streamed(Checkpoint::wafer), xy = streamed(Checkpoint::XY),
                        only_x = streamed(Checkpoint::X);
    const double layers = 2, weights = 2 * (12288 + 64);  // attention weights of a layer, bytes
    CHECK((xy[Resource::stream_out] - kept[Resource::stream_out]) * 150e9 == bta::approx(layers * 2 * x));
    CHECK((xy[Resource::stream_in] - kept[Resource::stream_in]) * 150e9 == bta::approx(layers * 2 * x));
    CHECK((only_x[Resource::stream_out] - kept[Resource::stream_out]) * 150e9 == bta::approx(layers * x));
    CHECK((only_x[Resource::stream_in] - kept[Resource::stream_in]) * 150e9 ==
          bta::approx(layers * (2 * x + weights)));
  }

  TEST_CASE("overheads: per tile and pass, per expert and pass, per layer and pass") {
    const auto overhead = [](Checkpoint checkpoint) {
      Wafer wafer = fixtures::cs2();
      wafer.tile_overhead_s = 100;
      wafer.expert_overhead_s = 1;
      wafer.layer_overhead_s = 1e4;
      return step_time(make_problem(fixtures::t1(), wafer, with(checkpoint)), {2, 3})
          .busy[Resource::overhead];
    };
    const double tiles = 3, experts = 8, layers = 2;
    CHECK(overhead(Checkpoint::XY) ==
          bta::approx(layers * 2 * (tiles * 100 + experts * 1 + 1e4)).epsilon(1e-12));
    CHECK(overhead(Checkpoint::X) ==
          bta::approx(layers * (3 * tiles * 100 + 2 * (experts * 1 + 1e4))).epsilon(1e-12));
  }

  TEST_CASE("dense and shared MLPs run a tile at a time: forward once, backward again and both gradients") {
    Model model = fixtures::t1();
    model.layers = {
        {model.layers[0].attention, DenseMlp{.width = 1000}},
        {model.layers[0].attention, MoeMlp{.experts = 8, .top_k = 2, .width = 32, .shared_width = 1000}}};
    Wafer wafer = fixtures::cs2();
    wafer.partial_sum_bytes = 1e-6;  // compute binds every GEMM
    wafer.columns = 1;
    ResourceTimes busy[4];
    const PhaseKind kinds[] = {PhaseKind::dense_mlp_forward, PhaseKind::dense_mlp_backward,
                               PhaseKind::shared_expert_forward, PhaseKind::shared_expert_backward};
    for (const PhaseTime& phase : step_time(make_problem(model, wafer, {}), {2, 3}).phases)
      for (std::size_t i = 0; i < 4; ++i)
        if (phase.kind == kinds[i]) busy[i] += phase.timed.busy;
    const double slots = 8;  // 4096 tokens over 994 rows of vectors of 4
    const double once = 3 * slots * 3 * 64 * 1000 / (1 * 4 * 0.45) / 1.1e9;
    CHECK(busy[0][Resource::compute] == bta::approx(once).epsilon(1e-12));
    CHECK(busy[1][Resource::compute] == bta::approx(3 * once).epsilon(1e-12));
    CHECK(busy[2][Resource::compute] == bta::approx(once).epsilon(1e-12));
    CHECK(busy[3][Resource::compute] == bta::approx(3 * once).epsilon(1e-12));
    const double weights = 3 * 64 * 1000 * 2.0, y = 6 * 2048 * 64 * 2.0;
    CHECK(busy[0][Resource::stream_in] * 150e9 == bta::approx(weights + 128).epsilon(1e-12));
    CHECK(busy[0][Resource::stream_out] * 150e9 == bta::approx(y).epsilon(1e-12));
    CHECK(busy[1][Resource::stream_in] * 150e9 == bta::approx(weights + 128 + y).epsilon(1e-12));
    CHECK(busy[1][Resource::stream_out] * 150e9 == bta::approx(weights + 128).epsilon(1e-12));
    CHECK(busy[2][Resource::stream_out] == 0);
    CHECK(busy[3][Resource::stream_out] * 150e9 == bta::approx(weights).epsilon(1e-12));
  }

  TEST_CASE("without overlap the checkpoint Y adds its whole time to the experts, with full overlap none") {
    for (const double omega : {0.0, 0.5, 1.0}) {
      Wafer wafer = fixtures::cs2();
      wafer.stream_overlap = omega;
      const auto experts = [&](Checkpoint checkpoint) {
        const Problem problem = make_problem(fixtures::qwen3_30b_a3b(), wafer, with(checkpoint));
        return seconds_by_phase(step_time(problem, {4, 8}))[PhaseKind::experts_forward];
      };
      const double y = 48 * 32.0 * 2048 * 2048 * 2 / 150e9;
      CHECK(experts(Checkpoint::XY) - experts(Checkpoint::X) == bta::approx((1 - omega) * y).epsilon(1e-9));
    }
  }

  TEST_CASE("the parts of a step add up to it, and its resources to those of its phases") {
    const Problem problem = make_problem(fixtures::qwen3_30b_a3b(), fixtures::cs2(), {});
    const StepTime step = step_time(problem, {5, 7});
    ResourceTimes busy;
    for (const PhaseTime& phase : step.phases) busy += phase.timed.busy;
    CHECK(total_seconds(step.phases) == bta::approx(step.seconds).epsilon(1e-14));
    for (std::size_t r = 0; r < resource_count; ++r)
      CHECK(busy.seconds[r] == bta::approx(step.busy.seconds[r]));
    CHECK(evaluate(problem, {5, 7}).tokens_per_s == 35.0 * 2048 / step.seconds);
  }

  TEST_CASE("given the row loads that are expected, a step takes what is expected") {
    for (const Placement placement : {Placement::masked, Placement::compacted}) {
      Workload workload;
      workload.placement = placement;
      Model model = fixtures::t1();
      model.layers[0].feed_forward = DenseMlp{.width = 100};
      const Problem problem = make_problem(model, fixtures::cs2(), workload);
      const std::vector<LayerLoads> loads = expected_loads(problem, 6);
      REQUIRE(loads.size() == 2);
      CHECK(loads[0].empty());
      CHECK(loads[1].front().experts == 8);
      CHECK(step_time(problem, {2, 3}, loads).seconds == step_time(problem, {2, 3}).seconds);
    }
  }

  TEST_CASE("row loads of a run: every expert at its own slots, sum of h") {
    const Problem problem = make_problem(fixtures::t1(), fixtures::cs2(), {});
    LayerLoads loads;
    double forward = 0, backward = 0;
    for (const double slots : {0.0, 4.0, 4.0, 12.0, 0.0, 8.0, 40.0, 4.0}) {
      loads.push_back({1, {{slots, 1}}});
      forward += expert_time(problem, problem.layers[0], slots).forward.seconds;
      backward += expert_time(problem, problem.layers[0], slots).backward.seconds;
    }
    const ForwardBackward sum = expected_expert_time(problem, problem.layers[0], 12288, loads);
    CHECK(sum.forward.seconds == bta::approx(forward).epsilon(1e-14));
    CHECK(sum.backward.seconds == bta::approx(backward).epsilon(1e-14));
  }

  TEST_CASE("wafers multiply the throughput of the same step") {
    Workload workload;
    const double one = evaluate(make_problem(fixtures::t1(), fixtures::cs2(), workload), {3, 2}).tokens_per_s;
    workload.wafers = 7;
    CHECK(evaluate(make_problem(fixtures::t1(), fixtures::cs2(), workload), {3, 2}).tokens_per_s ==
          bta::approx(7 * one));
  }
}
