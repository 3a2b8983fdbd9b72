// The executor against the closed forms and against itself, over random configurations
// (verify/random_case.h).
#include <doctest/doctest.h>

#include "executor/execute.h"
#include "support/fixtures.h"
#include "verify/count_checks.h"
#include "verify/numbers.h"
#include "verify/random_case.h"
#include "verify/scale.h"
#include "verify/setup.h"
#include "verify/timing.h"

namespace {

using namespace bta;
using namespace bta::verify;

constexpr std::uint64_t first_seed = 1000;

void require_passed(const Check& check) {
  INFO(check.claim, " | ", check.about, " | ", check.worst, ": expected ", check.expected.value_or(0),
       ", measured ", check.measured.value_or(0));
  CHECK(check.failed == 0);
  CHECK(check.compared > 0);
}

TEST_SUITE_BEGIN("executor");

TEST_CASE("600 random configurations: FLOPs, streams, memory and loads equal the closed forms exactly") {
  for (const CountClaim& claim : count_claims) require_passed(count_random(claim, first_seed, 600));
}

TEST_CASE(
    "150 random configurations with data: the kernels do the FLOPs that are counted, a token visits k "
    "experts") {
  require_passed(performed_random(first_seed, 150));
  require_passed(choices_random(first_seed, 150));
}

TEST_CASE("the random configurations hold every awkward case") {
  int b_one = 0, g_one = 0, all_experts = 0, odd_experts = 0, idle = 0, flooded = 0, cap_one = 0, shared = 0,
      gate = 0;
  int grouped = 0, window = 0, blocked = 0, ragged_head = 0, dense = 0, ragged_blocks = 0, several_passes = 0;
  int chunked = 0, sinks = 0, unit_norm = 0, part_rotated = 0, not_rotated = 0, latent = 0,
      direct_queries = 0;
  int layer_norm = 0, parallel = 0, router_bias = 0, selection_bias = 0, expert_bias = 0, head_bias = 0;
  std::array<int, 3> policy{};
  for (std::uint64_t i = 0; i < 600; ++i) {
    const RandomCase random = random_case(first_seed * 1'000'003 + i);
    const executor::Config& config = random.config;
    const std::int64_t tokens = micro_batch_tokens(config.tiling, config.workload.seq_len).value;
    b_one += config.tiling.tile_batch == 1;
    g_one += config.tiling.tiles == 1;
    ++policy[static_cast<std::size_t>(config.workload.checkpoint)];
    const bool blocks = config.workload.kernel == AttentionKernel::blocked;
    blocked += blocks;
    ragged_blocks += blocks && config.workload.seq_len % config.wafer.attention_block_rows != 0;
    ragged_head += config.head_chunk < tokens && tokens % config.head_chunk != 0;
    head_bias += config.model.head_bias;
    for (std::size_t l = 0; l < config.model.layers.size(); ++l) {
      const Layer& layer = config.model.layers[l];
      layer_norm += layer.norm_bias;
      parallel += layer.parallel;
      if (const auto* mla = std::get_if<LatentAttention>(&layer.attention)) {
        ++latent;
        direct_queries += mla->q_rank == 0;
      } else {
        const auto& attention = std::get<GroupedQueryAttention>(layer.attention);
        const bool windowed = attention.window && attention.window->keys < config.workload.seq_len;
        grouped += attention.kv_heads < attention.heads;
        window += windowed && !attention.window->chunked;
        chunked += windowed && attention.window->chunked;
        sinks += attention.sinks;
        unit_norm += attention.qk_norm == QkNorm::unit;
        not_rotated += attention.rotated() == 0;
        part_rotated += attention.rotated() > 0 && attention.rotated() < attention.qk_head_dim;
      }
      const auto* moe = std::get_if<MoeMlp>(&config.model.layers[l].feed_forward);
      dense += moe == nullptr;
      if (moe == nullptr) continue;
      all_experts += moe->top_k == moe->experts;
      odd_experts += (moe->experts & (moe->experts - 1)) != 0;
      shared += moe->shared_width > 0;
      gate += moe->shared_gate;
      router_bias += moe->router_bias;
      selection_bias += moe->selection_bias;
      expert_bias += moe->expert_bias;
      cap_one += config.expert_capacity[l] == 1;
      for (const executor::ExpertLoad& load : random.loads(l)) {
        idle += load.tokens == 0;
        flooded += load.tokens == tokens && moe->top_k < moe->experts;
        several_passes += load.tokens > config.expert_capacity[l];
      }
    }
  }
  for (const int count :
       {b_one,         g_one,          all_experts, odd_experts, idle,           flooded,     cap_one,
        shared,        gate,           grouped,     window,      blocked,        ragged_head, dense,
        ragged_blocks, several_passes, policy[0],   policy[1],   policy[2],      chunked,     sinks,
        unit_norm,     part_rotated,   not_rotated, latent,      direct_queries, layer_norm,  parallel,
        router_bias,   selection_bias, expert_bias, head_bias})
    CHECK(count >= 50);
}

TEST_CASE("40 random configurations: every tiling has the bits of no tiling") {
  for (std::uint64_t i = 0; i < 40; ++i) {
    CAPTURE(i);
    const RandomCase random = random_case(first_seed * 1'000'003 + i);
    require_passed(check_tilings_double({random.problem, 4, i}));
    require_passed(check_tilings_float({random.problem, 6, i}));
  }
}

TEST_CASE("100 random configurations agree with the independent implementation") {
  for (std::uint64_t i = 0; i < 100; ++i) {
    CAPTURE(i);
    const RandomCase random = random_case(first_seed * 1'000'003 + i);
    require_passed(
        check_plain({random.problem, micro_batch(random.config.tiling).value, i}, random.config.tiling));
  }
}

TEST_CASE("30 random configurations: gradients of every weight agree with central differences") {
  for (std::uint64_t i = 0; i < 30; ++i) {
    CAPTURE(i);
    require_passed(check_finite_differences({random_case(first_seed * 1'000'003 + i).problem, 2, i}, {1, 2}));
  }
}

TEST_CASE("20 random configurations keep the order of sequences and let none see another") {
  for (std::uint64_t i = 0; i < 20; ++i) {
    CAPTURE(i);
    require_passed(check_order({random_case(first_seed * 1'000'003 + i).problem, 3, i}));
  }
}

TEST_CASE("100 random configurations: phase times at the run's row loads equal the closed form") {
  for (std::uint64_t i = 0; i < 100; ++i) {
    CAPTURE(i);
    const RandomCase random = random_case(first_seed * 1'000'003 + i);
    require_passed(check_operator_times(random.problem));
    require_passed(phase_times(random.problem, random.config.tiling, i));
  }
}

TEST_CASE(
    "the mean of many runs equals the expectation to 0.04 %, at three sparsity levels, both placements, two "
    "routings") {
  const Problem full = make_problem(fixtures::qwen3_30b_a3b(), fixtures::cs2(), Workload{});
  Workload workload = scaled_problem(full).workload;
  for (const Placement placement : {Placement::masked, Placement::compacted})
    for (const Routing& routing : {Routing(BalancedRouting{}), Routing(ZipfRouting{1})}) {
      workload.placement = placement;
      workload.routing = routing;
      const Check check = check_mean_time(with_workload(scaled_problem(full), workload), {3, 16}, 1, 0.0004);
      MESSAGE(check.about, ": |z| ", check.deviation, "; ", check.note);
      require_passed(check);
    }
}

TEST_SUITE_END();

}  // namespace
