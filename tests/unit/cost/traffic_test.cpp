#include "cost/traffic.h"

#include <doctest/doctest.h>

#include <map>

#include "cost/step_time.h"
#include "support/approx.h"
#include "support/random_problem.h"

using namespace bta;

namespace {

/// T1 with a dense first layer and a shared expert in the second.
Problem mixed(Checkpoint checkpoint) {
  Model model = fixtures::t1();
  model.layers[0].feed_forward = DenseMlp{.width = 256};
  model.layers[1].feed_forward = MoeMlp{.experts = 8, .top_k = 2, .width = 32, .shared_width = 48};
  Workload workload;
  workload.checkpoint = checkpoint;
  workload.bytes.gradient = 4;
  return make_problem(model, fixtures::cs2(), workload);
}

std::map<PhaseKind, PhaseTraffic> by_kind(const Problem& problem, std::size_t layer) {
  std::map<PhaseKind, PhaseTraffic> found;
  for (const PhaseTraffic& traffic : layer_traffic(problem, problem.layers[layer], 6))
    CHECK(found.emplace(traffic.kind, traffic).second);
  return found;
}

constexpr std::int64_t x = 6LL * 2048 * 64 * 2, attention = 12288 + 64, expert = 3 * 64 * 32;

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("the bytes of every phase of a MoE layer, by hand") {
    using enum PhaseKind;
    auto xy = by_kind(mixed(Checkpoint::XY), 1);
    CHECK(xy.size() == 8);  // attention, router, experts and shared expert, forward and backward
    CHECK(xy[attention_forward].weights_in.value == 2 * attention);
    CHECK(xy[attention_forward].checkpoint_out.value == x);
    CHECK(xy[attention_forward].in().value == 2 * attention);
    CHECK(xy[attention_forward].out().value == x);
    CHECK(xy[attention_backward].checkpoint_in.value == x);
    CHECK(xy[attention_backward].gradients_out.value == 4 * attention);
    CHECK(xy[router_backward].in().value == 2 * (64 + 64 * 8));
    CHECK(xy[router_backward].out().value == 4 * (64 + 64 * 8));
    CHECK(xy[experts_forward].weights_in.value == 2 * 8 * expert);
    CHECK(xy[experts_forward].out().value == x);
    CHECK(xy[experts_backward].checkpoint_in.value == x);
    CHECK(xy[experts_backward].out().value == 4 * 8 * expert);
    CHECK(xy[shared_expert_forward].in().value == 2 * 3 * 64 * 48);
    CHECK(xy[shared_expert_forward].out().value == 0);
    CHECK(xy[shared_expert_backward].out().value == 4 * 3 * 64 * 48);
  }

  TEST_CASE("a dense layer, the head, and what the other checkpoint policies leave out") {
    using enum PhaseKind;
    auto xy = by_kind(mixed(Checkpoint::XY), 0);
    CHECK(xy.size() == 4);
    CHECK(xy[dense_mlp_forward].out().value == x);
    CHECK(xy[dense_mlp_backward].in().value == 2 * (3 * 64 * 256 + 64) + x);
    auto only_x = by_kind(mixed(Checkpoint::X), 1);
    CHECK(only_x.size() == 9);
    CHECK(only_x[attention_recompute].in().value == 2 * attention + x);
    CHECK(only_x[attention_recompute].out().value == 0);
    CHECK(only_x[attention_forward].checkpoint_out.value == x);
    CHECK(only_x[experts_forward].checkpoint_out.value == 0);
    CHECK(only_x[experts_backward].checkpoint_in.value == 0);
    for (const auto& [kind, traffic] : by_kind(mixed(Checkpoint::wafer), 1)) {
      CHECK(traffic.checkpoint_in.value == 0);
      CHECK(traffic.checkpoint_out.value == 0);
    }
    CHECK(head_traffic(mixed(Checkpoint::XY)).weights_in.value == 2 * (6400 + 64));
    CHECK(head_traffic(mixed(Checkpoint::XY)).gradients_out.value == 4 * (6400 + 64));
  }

  TEST_CASE("the bytes over the rates are what the stream is busy in a step") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      const Problem problem = fixtures::RandomProblem(seed).problem();
      const Tiling tiling{2, 3};
      double in = as_double(head_traffic(problem).in()), out = as_double(head_traffic(problem).out());
      for (const ProblemLayer& layer : problem.layers)
        for (const PhaseTraffic& traffic : layer_traffic(problem, layer, micro_batch(tiling).value)) {
          in += as_double(layer.count * traffic.in());
          out += as_double(layer.count * traffic.out());
        }
      const ResourceTimes busy = step_time(problem, tiling).busy;
      CHECK(busy[Resource::stream_in] == bta::approx(in / problem.wafer.stream_in_bytes_per_s));
      CHECK(busy[Resource::stream_out] == bta::approx(out / problem.wafer.stream_out_bytes_per_s));
    }
  }
}
