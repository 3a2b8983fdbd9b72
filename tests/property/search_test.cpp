#include "plan/search.h"

#include <doctest/doctest.h>

#include <bit>

#include "cost/memory.h"
#include "cost/step_time.h"
#include "plan/evaluator.h"
#include "support/random_problem.h"

using namespace bta;
using fixtures::RandomProblem;

namespace {

constexpr std::size_t largest_brute_force = 5'000;

bool fits(const Problem& problem, Tiling tiling) {
  return peak_memory(problem, tiling).bytes <= memory_limit(problem.wafer);
}

/// Where the optimum lies, seen over all the problems of a run.
struct Seen {
  int interior = 0, largest_tile = 0, most_tiles = 0, off_powers_of_two = 0, infeasible = 0, compared = 0;

  void add(const Problem& problem, const Candidate& best) {
    const auto [b, g] = best.tiling;
    const bool tile_can_grow = fits(problem, {b + 1, g}), tiles_can_grow = fits(problem, {b, g + 1});
    interior += tile_can_grow && tiles_can_grow;
    largest_tile += !tile_can_grow;
    most_tiles += !tiles_can_grow;
    const auto power = [](std::int64_t n) { return std::has_single_bit(static_cast<std::uint64_t>(n)); };
    off_powers_of_two += !power(b) || !power(g);
  }
};

void check_same(const std::vector<Candidate>& found, const std::vector<Candidate>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].tiling == expected[i].tiling);
    CHECK(found[i].tokens_per_s == expected[i].tokens_per_s);
    CHECK(found[i].peak == expected[i].peak);
  }
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE(
      "the search equals brute force on 600 random problems, with constraints, with and without the bound") {
    Seen seen;
    for (std::uint64_t seed = 1; seed <= 600; ++seed) {
      CAPTURE(seed);
      RandomProblem random(seed);
      const Problem problem = random.problem();
      const Constraints constraints = random.constraints();
      std::vector<Candidate> all = all_feasible(problem, constraints);
      if (all.size() > largest_brute_force) continue;
      ++seen.compared;
      sort_best_first(all);
      if (all.empty()) {
        ++seen.infeasible;
        CHECK(search(problem, constraints).best.empty());
        continue;
      }
      seen.add(problem, all.front());
      check_same(search(problem, constraints).best, {all.front()});
      check_same(search(problem, constraints, {.use_bound = false}).best, {all.front()});
      check_same(search(problem, constraints, {.rate_table = 1}).best, {all.front()});
      std::erase_if(all, [](const Candidate& candidate) { return candidate.tiling.tiles > 1; });
      const SearchResult uniform = search(problem, constraints, {.uniform_only = true});
      check_same(uniform.best, all.empty() ? all : std::vector{all.front()});
    }
    MESSAGE("compared " << seen.compared << ", infeasible " << seen.infeasible << ", optimum interior "
                        << seen.interior << ", at the largest B " << seen.largest_tile
                        << ", at the largest G " << seen.most_tiles << ", off powers of two "
                        << seen.off_powers_of_two);
    CHECK(seen.compared >= 400);
    CHECK(seen.infeasible >= 10);
    CHECK(seen.interior >= 20);
    CHECK(seen.largest_tile >= 20);
    CHECK(seen.most_tiles >= 20);
    CHECK(seen.off_powers_of_two >= 100);
  }

  TEST_CASE("where plans tie by the dozen, the search still finds the one of least memory") {
    for (std::uint64_t seed = 5000; seed <= 5060; ++seed) {
      CAPTURE(seed);
      Problem problem = RandomProblem(seed).problem();
      problem.wafer.rows = 1;  // no padding, full overlap, no overheads: only compute takes time
      problem.wafer.vector_width.fp16 = 1;
      problem.wafer.stream_overlap = problem.wafer.wafer_overlap = 1;
      problem.wafer.layer_overhead_s = problem.wafer.tile_overhead_s = problem.wafer.expert_overhead_s = 0;
      problem.wafer.stream_in_bytes_per_s = problem.wafer.stream_out_bytes_per_s = 1e18;
      problem.wafer.link_bytes_per_cycle = 1e12;
      std::vector<Candidate> all = all_feasible(problem, {.max_micro_batch = 60});
      if (all.empty()) continue;
      sort_best_first(all);
      check_same(search(problem, {.max_micro_batch = 60}).best, {all.front()});
    }
  }

  TEST_CASE("the best five are the first five of the sorted whole, up to ties") {
    for (std::uint64_t seed = 1000; seed <= 1060; ++seed) {
      CAPTURE(seed);
      RandomProblem random(seed);
      const Problem problem = random.problem();
      std::vector<Candidate> all = all_feasible(problem, {});
      if (all.size() > largest_brute_force) continue;
      sort_best_first(all);
      all.resize(std::min<std::size_t>(all.size(), 5));
      check_same(search(problem, {}, {.top = 5}).best, all);
    }
  }

  TEST_CASE("what the search reports of a point is what evaluating the point alone gives, bit for bit") {
    for (std::uint64_t seed = 2000; seed <= 2100; ++seed) {
      CAPTURE(seed);
      const Problem problem = RandomProblem(seed).problem();
      for (const Candidate& best : search(problem, {}).best) {
        check_same({best}, {evaluate(problem, best.tiling)});
        CHECK(best.step_s == step_time(problem, best.tiling).seconds);
      }
    }
  }

  TEST_CASE(
      "the part of a step that depends on N only never falls when N rises: and has a lower bound: the search "
      "rests on both") {
    for (std::uint64_t seed = 3000; seed <= 3100; ++seed) {
      CAPTURE(seed);
      const Problem problem = RandomProblem(seed).problem();
      const Evaluator evaluator(problem);
      double previous = 0;
      for (std::int64_t sequences = 1; sequences <= 40; ++sequences) {
        const double seconds = total_seconds(batch_phases(problem, sequences));
        CHECK(evaluator.least_batch_seconds(sequences) <= seconds * (1 + 1e-13));
        CHECK(seconds >= previous * (1 - 1e-12));
        previous = seconds;
      }
    }
  }

  TEST_CASE("tiling is never slower than the best uniform batch") {
    for (std::uint64_t seed = 4000; seed <= 4100; ++seed) {
      const Problem problem = RandomProblem(seed).problem();
      const SearchResult best = search(problem, {}), uniform = search(problem, {}, {.uniform_only = true});
      CHECK(best.best.empty() == uniform.best.empty());
      if (!best.best.empty()) CHECK(best.best[0].tokens_per_s >= uniform.best[0].tokens_per_s);
    }
  }
}
