// Seeded loads: exactly k experts a token, each with the probability that the routing gives it.
#include "executor/load_source.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "cost/routing.h"
#include "support/approx.h"
#include "support/fixtures.h"

namespace {

using namespace bta;
using namespace bta::executor;

Config config_of(const Routing& routing, std::int64_t experts, std::int64_t top_k, std::int64_t tokens) {
  Model model = fixtures::t1();
  for (Layer& layer : model.layers)
    layer.feed_forward = MoeMlp{.experts = experts, .top_k = top_k, .width = 8};
  Wafer wafer = fixtures::cs2();
  wafer.rows = 5;
  Workload workload;
  workload.seq_len = 1;
  workload.routing = routing;
  return {model, wafer, workload, {1, tokens}, 1, {1, 1}};
}

std::int64_t routed(const std::vector<ExpertLoad>& loads) {
  return std::accumulate(loads.begin(), loads.end(), std::int64_t{0},
                         [](std::int64_t sum, const ExpertLoad& load) { return sum + load.tokens; });
}

TEST_SUITE_BEGIN("executor");

TEST_CASE("inclusion probabilities found by bisection are those of the cost model's closed form") {
  for (const double alpha : {0.0, 0.5, 1.0, 2.0})
    for (const std::int64_t top_k : {1, 3, 7, 8}) {
      const std::vector<double> expected = routing_probabilities(ZipfRouting{alpha}, 8, top_k);
      const std::vector<double> found =
          inclusion_probabilities(ZipfRouting{alpha}, MoeMlp{.experts = 8, .top_k = top_k, .width = 1});
      for (std::size_t e = 0; e < 8; ++e) CHECK(found[e] == bta::approx(expected[e]).epsilon(1e-12));
    }
  for (const std::int64_t top_k : {1, 2, 3}) {
    const MeasuredRouting counts{{12e9, 70e9, 0, 1e9}, "m"};
    const std::vector<double> expected = routing_probabilities(counts, 4, top_k);
    const auto found = inclusion_probabilities(counts, MoeMlp{.experts = 4, .top_k = top_k, .width = 1});
    for (std::size_t e = 0; e < 4; ++e) CHECK(found[e] == bta::approx(expected[e]).epsilon(1e-12));
  }
}

TEST_CASE("sampled loads: T*k tokens in all, and every expert as often as its probability says") {
  constexpr std::int64_t tokens = 100'000;
  for (const Routing& routing : {Routing(BalancedRouting{}), Routing(ZipfRouting{1}),
                                 Routing(MeasuredRouting{{3, 90, 0, 10, 7, 1}, "m"})}) {
    const Config config = config_of(routing, 6, 2, tokens);
    const std::vector<ExpertLoad> loads = sampled_loads(config, 7)(0);
    const std::vector<double> p = routing_probabilities(routing, 6, 2);
    CHECK(routed(loads) == 2 * tokens);
    for (std::size_t e = 0; e < 6; ++e) {
      const double mean = p[e] * tokens, deviation = std::sqrt(mean * (1 - p[e])) + 1e-9;
      CHECK(std::abs(static_cast<double>(loads[e].tokens) - mean) <= 4 * deviation);
      CHECK(loads[e].fullest_row * 5 >= loads[e].tokens);
      CHECK(loads[e].fullest_row <= tokens / 5);
    }
  }
}

TEST_CASE("both passes of a layer see the same loads, two layers do not, and a seed repeats") {
  const Config config = config_of(BalancedRouting{}, 8, 2, 200);
  const LoadSource source = sampled_loads(config, 3), again = sampled_loads(config, 3);
  const auto same = [](const std::vector<ExpertLoad>& a, const std::vector<ExpertLoad>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), [](const ExpertLoad& x, const ExpertLoad& y) {
      return x.tokens == y.tokens && x.fullest_row == y.fullest_row;
    });
  };
  CHECK(same(source(0), source(0)));
  CHECK(same(source(1), again(1)));
  CHECK_FALSE(same(source(0), source(1)));
}

TEST_CASE("ragged loads give out T*k tokens, unevenly, none above T, some experts nothing") {
  for (const std::int64_t top_k : {1, 2, 7, 8}) {
    const Config config = config_of(BalancedRouting{}, 8, top_k, 100);
    const std::vector<ExpertLoad> loads = ragged_loads(config)(0);
    CHECK(routed(loads) == 100 * top_k);
    for (const ExpertLoad& load : loads) CHECK(load.tokens <= 100);
    if (top_k < 7) CHECK(loads.front().tokens > loads.back().tokens);
  }
}

TEST_SUITE_END();

}  // namespace
