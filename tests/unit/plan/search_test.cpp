#include "plan/search.h"

#include <doctest/doctest.h>

#include "plan/infeasible.h"
#include "support/fixtures.h"

using namespace bta;

TEST_SUITE("unit") {
  TEST_CASE("vendor's micro-batches: 337 per system allows 337, 169, 113 .. but not 168") {
    Constraints constraints;
    constraints.global_batch = 673;
    CHECK(allows_micro_batch(constraints, 2, 337));
    CHECK(allows_micro_batch(constraints, 2, 169));
    CHECK_FALSE(allows_micro_batch(constraints, 2, 168));
    CHECK_FALSE(allows_micro_batch(constraints, 2, 338));
    for (std::int64_t n = 1; n <= 337; ++n) CHECK(allows_micro_batch(constraints, 2, ceil_div(337, n)));
    CHECK(largest_micro_batch(constraints, 2) == 337);
  }

  TEST_CASE("a tile divides the global batch, a uniform batch need not") {
    Constraints constraints;
    constraints.global_batch = 96;
    CHECK(allows(constraints, 1, {8, 6}));
    CHECK(allows(constraints, 1, {48, 1}));
    constraints.global_batch = 50;  // micro-batches 50, 25, 17, 13, 10 ..
    CHECK(allows(constraints, 1, {17, 1}));
    CHECK(allows(constraints, 1, {5, 2}));
    CHECK_FALSE(allows(constraints, 1, {13, 2}));
    constraints.global_batch = 51;  // 51, 26, 17 ..
    CHECK_FALSE(allows(constraints, 1, {13, 2}));
  }

  TEST_CASE("ties within 1e-12: least memory, then least G") {
    std::vector<Candidate> candidates = {{{1, 8}, 1, 100, Bytes(50)},
                                         {{2, 4}, 1, 100 * (1 - 1e-13), Bytes(40)},
                                         {{8, 1}, 1, 100, Bytes(40)},
                                         {{9, 1}, 1, 100 * (1 - 1e-11), Bytes(1)}};
    sort_best_first(candidates);
    CHECK(candidates[0].tiling == Tiling{8, 1});
    CHECK(candidates[1].tiling == Tiling{2, 4});
    CHECK(candidates[2].tiling == Tiling{1, 8});
    CHECK(candidates[3].tiling == Tiling{9, 1});
  }

  TEST_CASE("the Pareto front rises in both memory and throughput") {
    const std::vector<Candidate> front = pareto_front({{{1, 1}, 1, 10, Bytes(5)},
                                                       {{1, 2}, 1, 9, Bytes(6)},
                                                       {{1, 3}, 1, 12, Bytes(6)},
                                                       {{2, 1}, 1, 12, Bytes(9)},
                                                       {{2, 2}, 1, 13, Bytes(9)}});
    REQUIRE(front.size() == 3);
    CHECK(front[0].tiling == Tiling{1, 1});
    CHECK(front[1].tiling == Tiling{1, 3});
    CHECK(front[2].tiling == Tiling{2, 2});
  }

  TEST_CASE("the search visits a small part of what it decides over") {
    const Problem problem = make_problem(fixtures::qwen3_30b_a3b(128, 1, 6144), fixtures::cs2(), {});
    const SearchResult bounded = search(problem, {}), whole = search(problem, {}, {.use_bound = false});
    REQUIRE(bounded.best.size() == 1);
    CHECK(bounded.best[0].tiling == whole.best[0].tiling);
    CHECK(bounded.best[0].tokens_per_s == whole.best[0].tokens_per_s);
    CHECK(bounded.micro_batches_evaluated * 10 < whole.micro_batches_evaluated);
    CHECK(bounded.candidates_evaluated * 10 < whole.candidates_evaluated);
  }

  TEST_CASE("on a plateau, where nearly every plan ties, the one of least memory is found with little work") {
    Wafer wafer = fixtures::cs2();
    wafer.stream_overlap = 1;
    wafer.layer_overhead_s = 0;
    const Problem problem = make_problem(fixtures::t1(), wafer, {});
    const SearchResult found = search(problem, {});
    REQUIRE(found.best.size() == 1);
    CHECK(found.micro_batches_evaluated * 3 < largest_feasible_micro_batch(problem, {}));
    CHECK(largest_feasible_micro_batch(problem, {}) > 30'000);
    for (std::int64_t n = 1; n < micro_batch(found.best[0].tiling).value; ++n)
      CHECK(evaluate(problem, {1, n}).tokens_per_s < found.best[0].tokens_per_s * (1 - 1e-12));
  }

  TEST_CASE("a point that does not fit names phase, excess, tensor and remedy") {
    const Problem problem = make_problem(fixtures::qwen3_30b_a3b(), fixtures::cs2(), {});
    CHECK(
        why_infeasible(problem, {}, {40, 40}) ==
        "B=40 G=40: attention backward needs 49.786 GB of 35.910 GB, 13.876 GB too much; largest: live score "
        "tensors, 32.212 GB; fits with -B 28 -G 40");
    CHECK(why_infeasible(problem, {}, {27, 47}).empty());
    CHECK(why_infeasible(problem, {.max_tile = 8}, {27, 47}) == "tile 27 exceeds --max-tile 8");
    CHECK(why_infeasible(problem, {.global_batch = 100}, {3, 11}) ==
          "micro-batch 33 is not ceil(100/n) for any n: --global-batch 100 on 1 wafers");
  }

  TEST_CASE("what fits with the remedy really fits, and one more does not") {
    const Problem problem = make_problem(fixtures::qwen3_30b_a3b(), fixtures::cs2(), {});
    CHECK(why_infeasible(problem, {}, {28, 40}).empty());
    CHECK_FALSE(why_infeasible(problem, {}, {29, 40}).empty());
  }

  TEST_CASE("remedies: fewer tiles, else a smaller tile, else the smallest point") {
    const Problem problem = make_problem(fixtures::qwen3_30b_a3b(), fixtures::cs2(), {});
    const auto remedy = [&](Tiling tiling) {
      const std::string reason = why_infeasible(problem, {}, tiling);
      return reason.substr(reason.rfind("; ") + 2);
    };
    CHECK(remedy({27, 60}) == "fits with -B 27 -G 47");
    CHECK(remedy({100, 10}) == "fits with -B 36 -G 10");
    CHECK(remedy({100, 5000}) == "fits with -B 1 -G 1");
  }

  TEST_CASE("when nothing fits, the smallest point says why and how much SRAM would do") {
    Wafer wafer = fixtures::cs2();
    wafer.sram_per_core = Bytes(1024);
    const Problem problem = make_problem(fixtures::qwen3_30b_a3b(), wafer, {});
    CHECK(search(problem, {}).best.empty());
    const std::string reason = why_nothing_fits(problem, {});
    CHECK(reason.find("B=1 G=1: head needs") == 0);
    CHECK(reason.find("would fit with") != std::string::npos);
  }
}
