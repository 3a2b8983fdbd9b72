// The best points of one level side by side, and why the next one loses; and the Pareto front.
//   loss      1 - tokens_per_s / best tokens_per_s
//   a phase's part of the loss: its seconds per token minus the best's, over the best's seconds per token
#pragma once

#include <string>
#include <vector>

#include "plan/explain.h"
#include "plan/search.h"
#include "report/format.h"

namespace bta {

/// `points`: best first, at least one; of those the first `shown` are the answer, one more is the next.
struct Ranking {
  std::vector<Explanation> points;
  std::size_t shown = 1;
};
std::string write_ranking(const Ranking& ranking, Format format);

/// `front`: least memory first.
std::string write_pareto_front(const Problem& problem, const std::vector<Candidate>& front, Format format);

}  // namespace bta
