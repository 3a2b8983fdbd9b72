// The (B, G) with the highest tokens/s among all integers B >= 1, G >= 1 that fit the memory and the
// constraints.
//
// Best-first branch and bound over intervals [n1, n2] of N = B*G. No plan with N in it beats
//   tokens/s <= wafers * n2*S / (tiled(n2) + batch(n1))
// batch(N) never falls when N rises, so batch(n1) bounds it, and so does the time of evenly full, unpadded
// rows at n2 (Jensen: E[h(slots)] >= h(mean load), h convex without its constants); tiled(n2) takes the best
// rate that any tile which fits beside n1 sequences and has a multiple in the interval reaches, and n /
// (tiled(n) + c) never falls when n rises (tiled is convex with a non-negative intercept). An interval below
// the best plan found is dropped whole; an interval of one N is decided by trying all its divisors. Where
// many plans tie, what needs more memory than the best is dropped too. Equal to brute force: removing the
// bound changes only the work done. Ties (relative 1e-12): least memory, then least G. Source: docs/model.md,
// "Search".
#pragma once

#include <cstdint>
#include <vector>

#include "cost/problem.h"
#include "plan/constraints.h"

namespace bta {

/// Throughputs that differ by no more, relatively, tie.
inline constexpr double tie = 1e-12;

struct Candidate {
  Tiling tiling;
  double step_s = 0;
  double tokens_per_s = 0;
  Bytes peak;
};

struct SearchOptions {
  bool uniform_only = false;  // G = 1
  bool use_bound = true;
  std::size_t top = 1;  // how many of the best to return
  std::int64_t rate_table =
      4096;  // tiles whose rate the bound tabulates; beyond, it takes their unpadded rate
};

struct SearchResult {
  std::vector<Candidate> best;  // best first; empty when nothing is feasible
  std::int64_t candidates_evaluated = 0;
  std::int64_t micro_batches_evaluated = 0;
};

SearchResult search(const Problem& problem, const Constraints& constraints,
                    const SearchOptions& options = {});

/// One point, whether it fits or is allowed or not. Of the constraints only the global batch counts here:
/// tokens/s are those of the sequences that the batch has, not of those that fill up its last micro-batch.
Candidate evaluate(const Problem& problem, Tiling tiling, const Constraints& constraints = {});

/// The largest N = B*G that fits and is allowed to be so large; 0 when nothing fits.
std::int64_t largest_feasible_micro_batch(const Problem& problem, const Constraints& constraints);

/// Every feasible candidate, each evaluated: the definition of the search, and what it is tested against.
/// About n*ln(n) of them, n the largest feasible micro-batch.
std::vector<Candidate> all_feasible(const Problem& problem, const Constraints& constraints);

/// Orders best first by the rule above (throughput, then ties by memory and G).
void sort_best_first(std::vector<Candidate>& candidates);

/// Of sorted candidates, those that no other beats in both tokens/s and memory, least memory first.
std::vector<Candidate> pareto_front(std::vector<Candidate> candidates);

}  // namespace bta
