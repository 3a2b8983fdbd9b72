// Measured counts against the routings that have a formula.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cost/memory.h"
#include "plan/plan.h"
#include "support/fixtures.h"

using namespace bta;

namespace {

Plan planned(const Routing& routing) {
  Workload workload;
  workload.routing = routing;
  const std::vector<Level> at{{128, 8, 768}, {128, 2, 3072}, {128, 1, 6144}};
  return make_plan({fixtures::qwen3_30b_a3b(), fixtures::cs2(), workload, {}, at, true});
}

void check_equal(const Plan& one, const Plan& other) {
  for (std::size_t i = 0; i < one.rows.size(); ++i) {
    const Candidate &a = *one.rows[i].best, &b = *other.rows[i].best;
    CHECK(a.tiling == b.tiling);
    CHECK(a.tokens_per_s == b.tokens_per_s);
    CHECK(a.peak == b.peak);
    CHECK(one.rows[i].uniform->tokens_per_s == other.rows[i].uniform->tokens_per_s);
  }
}

std::vector<double> zipf_counts(double alpha) {
  std::vector<double> counts;
  for (int e = 1; e <= 128; ++e) counts.push_back(1048576 * std::pow(e, -alpha));
  return counts;
}

/// At B = 8, G = 1.
double tokens_per_s_of_8(const Routing& routing, std::int64_t top_k, std::int64_t width) {
  Workload workload;
  workload.routing = routing;
  return evaluate(make_problem(fixtures::qwen3_30b_a3b(128, top_k, width), fixtures::cs2(), workload), {8, 1})
      .tokens_per_s;
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("equal counts give exactly the balanced plan") {
    check_equal(planned(BalancedRouting{}), planned(MeasuredRouting{std::vector<double>(128, 0.1), "m"}));
  }

  TEST_CASE("counts in proportion to Zipf's weights give exactly Zipf's plan, whatever the experts' order") {
    for (const double alpha : {0.5, 1.0}) {
      std::vector<double> counts = zipf_counts(alpha);
      std::rotate(counts.begin(), counts.begin() + 50, counts.end());
      check_equal(planned(ZipfRouting{alpha}), planned(MeasuredRouting{counts, "m"}));
    }
  }

  TEST_CASE("more skew never needs less memory at a point") {
    Workload workload;
    std::int64_t previous_buffer = 0;
    Bytes previous_peak;
    for (const double skew : {0.0, 0.1, 0.3, 0.6, 1.0}) {
      std::vector<double> counts = zipf_counts(1);
      const double mean = std::accumulate(counts.begin(), counts.end(), 0.0) / 128;
      for (double& count : counts) count = (1 - skew) * mean + skew * count;
      workload.routing = MeasuredRouting{counts, "m"};
      const Problem problem = make_problem(fixtures::qwen3_30b_a3b(), fixtures::cs2(), workload);
      const std::int64_t buffer = expert_capacities(problem, 27 * 47)[0];
      const Bytes peak = peak_memory(problem, {27, 47}).bytes;
      CHECK(buffer > previous_buffer);
      CHECK(peak > previous_peak);
      previous_buffer = buffer;
      previous_peak = peak;
    }
  }

  TEST_CASE("the best tiled plan gets slower with skew, for want of memory, and a given batch need not") {
    const Plan even = planned(BalancedRouting{}), half = planned(ZipfRouting{0.5}),
               full = planned(ZipfRouting{1});
    for (std::size_t i = 0; i < even.rows.size(); ++i) {
      CHECK(half.rows[i].best->tokens_per_s < even.rows[i].best->tokens_per_s);
      CHECK(full.rows[i].best->tokens_per_s < half.rows[i].best->tokens_per_s);
    }
    CHECK(tokens_per_s_of_8(ZipfRouting{1}, 8, 768) > 1.08 * tokens_per_s_of_8(BalancedRouting{}, 8, 768));
    CHECK(tokens_per_s_of_8(ZipfRouting{1}, 1, 6144) < 0.994 * tokens_per_s_of_8(BalancedRouting{}, 1, 6144));
  }
}
