#include "cost/row_load.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "cost/expert_time.h"
#include "cost/routing.h"
#include "support/approx.h"
#include "support/fixtures.h"

using namespace bta;

namespace {

Wafer small_wafer(std::int64_t rows, std::int64_t v) {
  Wafer wafer = fixtures::cs2();
  wafer.rows = rows;
  wafer.columns = 3;
  wafer.vector_width.fp16 = v;
  return wafer;
}

/// Calls visit(slots, probability) for each of the 2^T ways in which T tokens pick an expert or not.
template <class Visit>
void enumerate(std::int64_t tokens, double p, std::int64_t rows, std::int64_t v, Placement placement,
               Visit visit) {
  for (std::uint64_t picks = 0; picks < (std::uint64_t{1} << tokens); ++picks) {
    std::vector<std::int64_t> row(static_cast<std::size_t>(rows), 0);
    std::int64_t all = 0;
    for (std::int64_t t = 0; t < tokens; ++t)
      if ((picks >> t) & 1) ++row[static_cast<std::size_t>(t % rows)], ++all;
    const double probability = std::pow(p, as_double(all)) * std::pow(1 - p, as_double(tokens - all));
    const std::int64_t load =
        placement == Placement::masked ? *std::ranges::max_element(row) : ceil_div(all, rows);
    visit(as_double(v * ceil_div(load, v)), probability);
  }
}

struct Case {
  std::int64_t tokens, rows, v;
  double p;
};
const Case cases[] = {{1, 3, 1, 0.5},  {7, 3, 2, 0.25}, {12, 4, 1, 0.125},
                      {13, 4, 3, 0.6}, {16, 5, 2, 0.9}, {2, 5, 4, 0.3}};

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("the distribution of the slots equals enumeration of every outcome") {
    for (const Placement placement : {Placement::masked, Placement::compacted})
      for (const auto& [tokens, rows, v, p] : cases) {
        Workload workload;
        workload.placement = placement;
        const auto distribution = slot_distribution(tokens, p, small_wafer(rows, v), workload);
        double sum = 0;
        for (const auto& [slots, probability] : distribution) {
          double exact = 0;
          const double wanted = slots;
          enumerate(tokens, p, rows, v, placement,
                    [&](double s, double weight) { exact += s == wanted ? weight : 0; });
          CHECK(std::abs(probability - exact) < 1e-12);  // differences of tails: exact to digits of 1
          sum += probability;
        }
        CHECK(sum == bta::approx(1).epsilon(1e-14));
      }
  }

  TEST_CASE(
      "E[max(s, cX)] and E[h] equal enumeration: omega 0, 0.5, 1, stream below, inside, above the loads") {
    for (const Placement placement : {Placement::masked, Placement::compacted})
      for (const auto& [tokens, rows, v, p] : cases)
        for (const double omega : {0.0, 0.5, 1.0})
          for (const double stream_bytes_per_s : {1e15, 3e8, 1e2}) {
            Wafer wafer = small_wafer(rows, v);
            wafer.stream_overlap = omega;
            wafer.expert_overhead_s = 2e-6;
            wafer.stream_in_bytes_per_s = wafer.stream_out_bytes_per_s = stream_bytes_per_s;
            Workload workload;
            workload.placement = placement;
            workload.seq_len = 1;
            Model model = fixtures::t1();
            model.layers.resize(1);
            const Problem problem = make_problem(model, wafer, workload);
            ProblemLayer layer = problem.layers[0];
            layer.experts = {{p, 1}};
            double forward = 0, backward = 0;
            enumerate(tokens, p, rows, v, placement, [&](double slots, double weight) {
              const ForwardBackward h = expert_time(problem, layer, slots);
              forward += weight * h.forward.seconds;
              backward += weight * h.backward.seconds;
            });
            ForwardBackward expected =
                expected_expert_time(problem, layer, tokens, expected_loads(problem, layer, tokens));
            if (placement == Placement::compacted) {  // without the moves: they do not depend on the rows
              const double move = as_double(tokens) * 2 * 64 * 2 / (4 * 3 * 4.0) / 1.1e9;
              expected.forward.seconds -= 2 * move;
              expected.backward.seconds -= 3 * move;
            }
            CHECK(expected.forward.seconds == bta::approx(forward).epsilon(1e-12));
            CHECK(expected.backward.seconds == bta::approx(backward).epsilon(1e-12));
          }
  }

  TEST_CASE(
      "h: the stream hides behind work at omega 1 and adds to it at omega 0, at no slots only overhead and "
      "stream") {
    Wafer wafer = small_wafer(3, 1);
    wafer.expert_overhead_s = 1;
    wafer.stream_in_bytes_per_s = 3 * 64 * 32 * 2 / 5.0;  // 5 s for an expert's weights
    Model model = fixtures::t1();
    for (const double omega : {0.0, 0.5, 1.0}) {
      wafer.stream_overlap = omega;
      const Problem problem = make_problem(model, wafer, {});
      CHECK(expert_time(problem, problem.layers[0], 0).forward.seconds == bta::approx(5 + (1 - omega) * 1));
      const double work = expert_time(problem, problem.layers[0], 1e8).forward.busy[Resource::compute] + 1;
      CHECK(work > 5);
      CHECK(expert_time(problem, problem.layers[0], 1e8).forward.seconds ==
            bta::approx(work + (1 - omega) * 5));
    }
  }

  TEST_CASE("published exact values: T=24576 and T=196608 tokens, p=1/64, 994 rows of vectors of 4") {
    // Rational arithmetic, done independently of this code.
    const auto small = slot_distribution(24576, 2.0 / 128, fixtures::cs2(), {});
    REQUIRE(small.size() >= 4);
    CHECK(small[0].slots == 4);
    CHECK(small[0].probability == bta::approx(9.647357023966751E-01).epsilon(1e-13));
    CHECK(small[1].probability == bta::approx(3.526421640481009E-02).epsilon(1e-12));
    CHECK(small[2].probability == bta::approx(8.119850255273182E-08).epsilon(1e-9));
    CHECK(mean_slots(small) == bta::approx(4.141057515207408).epsilon(1e-14));
    CHECK(mean_slots(slot_distribution(196608, 2.0 / 128, fixtures::cs2(), {})) ==
          bta::approx(12.009576216316487).epsilon(1e-14));
  }

  TEST_CASE("certain and impossible experts have one outcome") {
    const Wafer wafer = small_wafer(4, 2);
    const auto certain = slot_distribution(9, 1, wafer, {});
    REQUIRE(certain.size() == 1);
    CHECK(certain[0].slots == 4);  // a row of 3, padded
    CHECK(certain[0].probability == 1);
    const auto impossible = slot_distribution(9, 0, wafer, {});
    REQUIRE(impossible.size() == 1);
    CHECK(impossible[0].slots == 0);
  }

  TEST_CASE("the distribution sums to one and has the right mean however wide it is") {
    const Wafer one_row = small_wafer(1, 1);
    const auto wide = slot_distribution(10'000'000, 0.25, one_row, {});
    CHECK(wide.size() > 10'000);
    double sum = 0;
    for (const auto& [slots, probability] : wide) sum += probability;
    CHECK(sum == bta::approx(1).epsilon(1e-12));
    CHECK(mean_slots(wide) == bta::approx(2'500'000).epsilon(1e-12));
    for (const std::int64_t m : {17, 20, 30, 45})  // the walk against one CDF at a time
      for (const std::int64_t tokens : {2'000'000, 2'000'999}) {
        double exceeds = 0;
        for (const auto& [slots, probability] : slot_distribution(tokens, 1.0 / 128, small_wafer(994, 1), {}))
          exceeds += slots > as_double(m) ? probability : 0;
        CHECK(exceeds == bta::approx(probability_row_exceeds(m, tokens, 1.0 / 128, 994)).epsilon(1e-10));
      }
  }

  TEST_CASE("the fullest row never gets emptier with more tokens") {
    double previous = 0;
    for (std::int64_t tokens = 1; tokens < 400; ++tokens) {
      const double mean = mean_slots(slot_distribution(tokens, 0.11, small_wafer(7, 1), {}));
      CHECK(mean >= previous * (1 - 1e-14));
      previous = mean;
    }
  }

  TEST_CASE("the expert buffer is the smallest that holds with the asked probability") {
    CHECK(expert_capacity(196608, 2.0 / 128, 0.001 / (128 * 48)) == 3357);
    CHECK(expert_capacity(2048, 8.0 / 128, 0.001 / (128 * 48)) == 187);
    CHECK(expert_capacity(10, 1, 1e-6) == 10);
    CHECK(expert_capacity(10, 0, 1e-6) == 0);
    for (const double tail : {0.5, 0.1, 1e-3, 1e-9}) {
      const std::int64_t n = 14, capacity = expert_capacity(n, 0.3, tail);
      const auto exceeds = [&](std::int64_t limit) {
        double above = 0;
        enumerate(n, 0.3, 1, 1, Placement::masked,
                  [&](double s, double weight) { above += s > as_double(limit) ? weight : 0; });
        return above;
      };
      CHECK(exceeds(capacity) <= tail);
      CHECK((capacity == 0 || exceeds(capacity - 1) > tail));
    }
  }

  TEST_CASE("experts that a batch touches") {
    const auto touched = [](std::int64_t experts, std::int64_t top_k, std::int64_t tokens) {
      return experts_touched(routing_probabilities(BalancedRouting{}, experts, top_k), tokens);
    };
    CHECK(touched(8, 2, 1) == bta::approx(2).epsilon(1e-14));
    CHECK(touched(8, 2, 3) == bta::approx(4.625).epsilon(1e-14));
    CHECK(touched(128, 8, 16) == bta::approx(82.4225).epsilon(1e-6));
    CHECK(touched(128, 8, 64) == bta::approx(125.9423).epsilon(1e-6));
    CHECK(touched(128, 8, 1'000'000) == bta::approx(128).epsilon(1e-14));
    for (std::int64_t tokens = 1; tokens < 40; ++tokens)
      CHECK(touched(128, 8, tokens) <= std::min<double>(128, 8.0 * as_double(tokens)) * (1 + 1e-14));
  }

  TEST_CASE("routing probabilities sum to k, never exceed 1, keep their order") {
    for (const double alpha : {0.0, 0.5, 1.0, 3.0, 20.0})
      for (const std::int64_t top_k : {1, 3, 8, 16}) {
        const auto p = routing_probabilities(ZipfRouting{alpha}, 16, top_k);
        double sum = 0;
        for (const double probability : p) sum += probability;
        CHECK(sum == bta::approx(as_double(top_k)).epsilon(1e-12));
        CHECK(std::ranges::is_sorted(p, std::greater{}));
        CHECK(p.front() <= 1);
      }
    const auto zipf = routing_probabilities(ZipfRouting{1}, 3, 1);
    CHECK(zipf[0] == bta::approx(6.0 / 11).epsilon(1e-15));
    CHECK(zipf[2] == bta::approx(2.0 / 11).epsilon(1e-15));
    const auto measured = routing_probabilities(MeasuredRouting{{10, 20, 10, 0}, "m"}, 4, 2);
    CHECK(measured == std::vector<double>{0.5, 1, 0.5, 0});
  }

  TEST_CASE("equal counts are exactly k/E, whatever they are") {
    for (const double count : {1.0, 0.1, 12345.0, 1.0 / 3, 9007199254740992.0})
      for (const std::int64_t top_k : {1, 3, 8, 12})
        CHECK(routing_probabilities(MeasuredRouting{std::vector<double>(12, count), "m"}, 12, top_k) ==
              routing_probabilities(BalancedRouting{}, 12, top_k));
  }

  TEST_CASE("a measured expert beyond 1 is picked by every token, and the rest goes to the others by count") {
    const auto two = routing_probabilities(MeasuredRouting{{70, 6, 3, 1}, "m"}, 4, 2);
    CHECK(two[0] == 1);
    CHECK(two[1] == bta::approx(0.6).epsilon(1e-15));
    CHECK(two[3] == bta::approx(0.1).epsilon(1e-15));
    const auto three = routing_probabilities(MeasuredRouting{{70, 6, 3, 1}, "m"}, 4, 3);
    CHECK(three[1] == 1);  // 1.2 without the second clipping
    CHECK(three[2] == bta::approx(0.75).epsilon(1e-15));
    CHECK(three[3] == bta::approx(0.25).epsilon(1e-15));
  }
}
