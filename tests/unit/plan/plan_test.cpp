#include "plan/plan.h"

#include <doctest/doctest.h>

#include "plan/explain.h"
#include "support/approx.h"
#include "support/fixtures.h"

using namespace bta;

namespace {

std::vector<Level> levels_of(const Model& model, const LevelRequest& request) {
  const auto result = levels(model, request);
  REQUIRE(result.has_value());
  return result.value();
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("default levels: experts 8..128 at top_k 8, then top_k 4..1 at 128 experts, each once") {
    const std::vector<Level> fixed{{8, 8, 768},   {16, 8, 768},  {32, 8, 768},  {64, 8, 768},
                                   {128, 8, 768}, {128, 4, 768}, {128, 2, 768}, {128, 1, 768}};
    CHECK(levels_of(fixtures::qwen3_30b_a3b(), {}) == fixed);
    const std::vector<Level> constant{{8, 8, 768},   {16, 8, 768},   {32, 8, 768},   {64, 8, 768},
                                      {128, 8, 768}, {128, 4, 1536}, {128, 2, 3072}, {128, 1, 6144}};
    CHECK(levels_of(fixtures::qwen3_30b_a3b(), {.iso_active = true}) == constant);
  }

  TEST_CASE("levels asked for are all pairs in the order given, the model's own value where none is given") {
    const std::vector<Level> pairs{{64, 2, 768}, {64, 1, 768}, {16, 2, 768}, {16, 1, 768}};
    CHECK(levels_of(fixtures::qwen3_30b_a3b(), {.experts = {64, 16}, .top_k = {2, 1}}) == pairs);
    CHECK(levels_of(fixtures::mixtral(), {.experts = {4}}) == std::vector<Level>{{4, 2, 14336}});
    CHECK(levels_of(fixtures::qwen3_4b(), {}).empty());
  }

  TEST_CASE("constant active parameters rounds the width to nearest") {
    CHECK(levels_of(fixtures::qwen3_30b_a3b(), {.top_k = {5, 7}, .iso_active = true}) ==
          std::vector<Level>{{128, 5, 1229}, {128, 7, 878}});
  }

  TEST_CASE("levels that cannot be are errors that name the option") {
    const auto exceeding = levels(fixtures::mixtral(), {.experts = {4}, .top_k = {5}});
    REQUIRE_FALSE(exceeding.has_value());
    CHECK(exceeding.error().front().key == "--top-k");
    CHECK(exceeding.error().front().message ==
          "top_k 5 exceeds the 4 experts of that level; ask for --experts 5 or more");
    CHECK_FALSE(levels(fixtures::qwen3_4b(), {.experts = {4}}).has_value());
  }

  TEST_CASE("all experts chosen is the dense equivalent: one MLP of width k*f, no router") {
    const Model dense = at_level(fixtures::qwen3_30b_a3b(), {8, 8, 768});
    CHECK(std::get<DenseMlp>(dense.layers[0].feed_forward).width == 6144);
    Model shared = fixtures::t1();
    std::get<MoeMlp>(shared.layers[0].feed_forward).shared_width = 48;
    CHECK(std::get<DenseMlp>(dense_equivalent(shared).layers[0].feed_forward).width == 2 * 32 + 48);
    const Plan plan = make_plan({fixtures::qwen3_30b_a3b(), fixtures::cs2(), {}, {}, {{8, 8, 768}}, false});
    CHECK(*plan.rows[0].loss_uniform == 0);
    CHECK(plan.rows[0].uniform->tokens_per_s == plan.rows[0].dense->tokens_per_s);
  }

  TEST_CASE("the best uniform plan has a speedup of exactly 1 over itself") {
    Constraints constraints;
    constraints.max_micro_batch = 1;
    const Plan plan =
        make_plan({fixtures::qwen3_30b_a3b(), fixtures::cs2(), {}, constraints, {{128, 8, 768}}, false});
    CHECK(plan.rows[0].best->tiling == Tiling{1, 1});
    CHECK(*plan.rows[0].speedup == 1.0);
  }

  TEST_CASE(
      "a cap on tiles binds tiled plans and no uniform batch, so that a plan is never slower than the batch "
      "beside it") {
    const PlanRequest request{fixtures::qwen3_30b_a3b(), fixtures::cs2(), {},
                              {.max_tile = 4},           {{128, 8, 768}}, false};
    const PlanRow row = make_plan(request).rows[0];
    CHECK(row.best->tiling.tile_batch <= 4);
    CHECK(row.uniform->tiling.tile_batch > 4);
    CHECK(*row.speedup >= 1);
  }

  TEST_CASE("a plan on the memory limit is bound by memory, one held back by the user is not") {
    const Problem problem = make_problem(fixtures::qwen3_30b_a3b(), fixtures::cs2(), {});
    CHECK(plan_bound(problem, {}, evaluate(problem, {27, 47})) == "memory");
    CHECK(plan_bound(problem, {}, evaluate(problem, {2, 1})) ==
          "stream-in");  // more would fit, and be faster
    CHECK(plan_bound(problem, {.max_micro_batch = 2}, evaluate(problem, {2, 1})) == "stream-in");
  }

  TEST_CASE("with a global batch, whose sizes are far apart, a plan is still seen to be bound by memory") {
    const Problem problem = make_problem(fixtures::qwen3_30b_a3b(128, 1, 6144), fixtures::cs2(), {});
    const Constraints constraints{.global_batch = 4096};
    const SearchResult found = search(problem, constraints);
    CHECK(found.best[0].tiling == Tiling{16, 64});
    CHECK(plan_bound(problem, constraints, found.best[0]) == "memory");  // 16 * 128 would be faster
  }

  TEST_CASE(
      "throughput counts the sequences of the global batch, not those that fill up its last micro-batch") {
    Workload workload;
    workload.wafers = 8;
    const Problem problem = make_problem(fixtures::t1(), fixtures::cs2(), workload);
    const double full = evaluate(problem, {2, 1}).tokens_per_s;
    CHECK(evaluate(problem, {2, 1}, {.global_batch = 16}).tokens_per_s == full);
    CHECK(evaluate(problem, {2, 1}, {.global_batch = 9}).tokens_per_s == bta::approx(full * 9 / 16));
    CHECK(evaluate(problem, {1, 1}, {.global_batch = 9}).tokens_per_s ==
          bta::approx(evaluate(problem, {1, 1}).tokens_per_s * 9 / 16));
    CHECK(search(problem, {.global_batch = 7}).best.empty());  // a wafer without a sequence
  }

  TEST_CASE("a step whose FLOPs exceed 64 bits is planned all the same") {
    Wafer wafer = fixtures::cs2();
    wafer.sram_per_core = Bytes(1 << 24);
    const Plan plan = make_plan({fixtures::qwen3_30b_a3b(), wafer, {}, {}, {{128, 1, 6144}}, false});
    CHECK(plan.rows[0].utilization->of_grid_peak > 0);
  }

  TEST_CASE("the blocked kernel's speedup is that of a plan made with it") {
    Workload blocked;
    blocked.kernel = AttentionKernel::blocked;
    const std::vector<Level> levels{{128, 8, 768}};
    const PlanRow row =
        make_plan({fixtures::qwen3_30b_a3b(), fixtures::cs2(), {}, {}, levels, false}).rows[0];
    const PlanRow other =
        make_plan({fixtures::qwen3_30b_a3b(), fixtures::cs2(), blocked, {}, levels, false}).rows[0];
    CHECK(row.blocked_speedup == other.speedup);
    CHECK(*row.blocked_tokens_per_s == other.best->tokens_per_s);
    CHECK_FALSE(other.blocked_speedup.has_value());
  }

  TEST_CASE("an infeasible level keeps its inputs and says why") {
    Wafer wafer = fixtures::cs2();
    wafer.sram_per_core = Bytes(1024);
    const PlanRow row = make_plan({fixtures::qwen3_30b_a3b(), wafer, {}, {}, {{128, 8, 768}}, false}).rows[0];
    CHECK_FALSE(row.feasible());
    CHECK(row.level->experts == 128);
    CHECK_FALSE(row.speedup.has_value());
    CHECK(row.reason.find("too much") != std::string::npos);
  }

  TEST_CASE("explain: operators carry every FLOP and every byte of the step") {
    for (const Checkpoint checkpoint : {Checkpoint::XY, Checkpoint::X, Checkpoint::wafer}) {
      Workload workload;
      workload.checkpoint = checkpoint;
      const Explanation e =
          explain(make_problem(fixtures::qwen3_30b_a3b(), fixtures::cs2(), workload), {}, {5, 7});
      Flops hardware, vector;
      ResourceTimes busy;
      for (const OperatorCost& cost : e.operators) {
        (cost.flop_class == FlopClass::vector ? vector : hardware) += cost.flops;
        busy += cost.busy;
      }
      CHECK(hardware == e.flops.hardware);
      CHECK(vector == e.flops.vector);
      CHECK(as_double(e.streamed_in) / 150e9 == bta::approx(e.step.busy[Resource::stream_in]).epsilon(1e-12));
      CHECK(as_double(e.streamed_out) / 150e9 ==
            bta::approx(e.step.busy[Resource::stream_out]).epsilon(1e-12));
      for (const Resource r : {Resource::compute, Resource::sram, Resource::broadcast, Resource::reduce})
        CHECK(busy[r] == bta::approx(e.step.busy[r]).epsilon(1e-12));
    }
  }

  TEST_CASE(
      "explain: the ridge of evenly full rows is 100 tokens per expert on one core of 100 TFLOP/s and 1 "
      "TB/s") {
    Workload workload;
    workload.seq_len = 16;
    const Explanation e =
        explain(make_problem(fixtures::qwen3_30b_a3b(), fixtures::one_core(), workload), {}, {1, 100});
    CHECK(*e.ridges[0].even_tokens_per_expert == bta::approx(100).epsilon(1e-6));
    CHECK(e.row_fill->tokens_per_expert == 100);
    for (const Ridge& ridge : e.ridges) {  // uneven rows work longer, so they reach their stream no later
      REQUIRE(ridge.filled_tokens_per_expert.has_value());
      CHECK(*ridge.filled_tokens_per_expert <= *ridge.even_tokens_per_expert + 2.0 * 8 / 128);
      CHECK(*ridge.filled_tokens_per_expert >= 0.9 * *ridge.even_tokens_per_expert);
      CHECK(*ridge.distance == e.row_fill->tokens_per_expert / *ridge.filled_tokens_per_expert);
    }
    CHECK(*e.ridges[1].even_tokens_per_expert == bta::approx(100.0 / 3).epsilon(1e-6));
  }

  TEST_CASE("explain: weights that take longer to spread over the wafer than to arrive leave no ridge") {
    Wafer wafer = fixtures::cs2();
    wafer.link_bytes_per_cycle = 1e-3;
    const Explanation e = explain(make_problem(fixtures::qwen3_30b_a3b(), wafer, {}), {}, {3, 5});
    for (const Ridge& ridge : e.ridges) {
      CHECK(*ridge.even_tokens_per_expert == 0);
      CHECK(*ridge.filled_tokens_per_expert == 8.0 / 128);  // one token of the batch
    }
  }

  TEST_CASE("explain: finer experts, same weights and work, seven times the routed activations") {
    Workload workload;
    workload.seq_len = 65536;
    const auto fill = [&](std::int64_t experts, std::int64_t top_k, std::int64_t width) {
      return *explain(make_problem(with_experts(fixtures::mixtral(), experts, top_k, width), fixtures::cs2(),
                                   workload),
                      {}, {1, 1})
                  .row_fill;
    };
    const RowFill coarse = fill(8, 2, 14336), fine = fill(56, 14, 2048);
    CHECK(coarse.tokens_per_expert == 16384);
    CHECK(fine.tokens_per_expert == 16384);
    CHECK(coarse.routed_inputs.value == 1'073'741'824);
    CHECK(fine.routed_inputs.value == 7'516'192'768);
    const ParameterCount c = count_parameters(with_experts(fixtures::mixtral(), 8, 2, 14336));
    const ParameterCount f = count_parameters(with_experts(fixtures::mixtral(), 56, 14, 2048));
    CHECK(c.routed_experts == 32 * std::int64_t{1'409'286'144});
    CHECK(f.routed_experts == c.routed_experts);
    CHECK(c.routed_experts_active == 32 * std::int64_t{352'321'536});
    CHECK(f.routed_experts_active == c.routed_experts_active);
  }

  TEST_CASE("explain: routed copies and gate and up outputs of 8 sequences of 4096 grow with top_k") {
    Workload workload;
    workload.seq_len = 4096;
    const Explanation e =
        explain(make_problem(fixtures::qwen3_30b_a3b(), fixtures::cs2(), workload), {}, {4, 2});
    CHECK(e.row_fill->routed_inputs.value == 1'073'741'824);
    CHECK(e.row_fill->gate_and_up.value == 805'306'368);
    Model ungated = fixtures::qwen3_30b_a3b();
    for (Layer& layer : ungated.layers) std::get<MoeMlp>(layer.feed_forward).gated = false;
    CHECK(explain(make_problem(ungated, fixtures::cs2(), workload), {}, {4, 2}).row_fill->gate_and_up.value ==
          805'306'368 / 2);
  }
}
