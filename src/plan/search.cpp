#include "plan/search.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>

#include "plan/evaluator.h"

namespace bta {
namespace {

constexpr double tie = 1e-12;             // relative
constexpr double rounding = 1e-9;         // slack of the bound against floating point
constexpr std::int64_t rate_table = 4096; // tiles whose rate is tabulated for the bound

std::int64_t largest_that_fits(Evaluator& evaluator, const Constraints& constraints, bool uniform_only) {
  const std::int64_t wafers = evaluator.problem().workload.wafers;
  const std::int64_t most = largest_micro_batch(constraints, wafers).value_or(INT64_MAX / 4);
  return last_that(most, 1, [&](std::int64_t n) { return evaluator.fits(uniform_only ? Tiling{n, 1} : Tiling{1, n}); });
}

struct Interval {
  std::int64_t first = 1, last = 1;  // of N
  double bound = 0;                  // no plan inside has more tokens/s
  bool operator<(const Interval& other) const { return bound < other.bound; }
};

class Search {
 public:
  Search(const Problem& problem, const Constraints& constraints, const SearchOptions& options)
      : evaluator_(problem), constraints_(constraints), options_(options) {}

  SearchResult run() {
    const std::int64_t last = largest_that_fits(evaluator_, constraints_, options_.uniform_only);
    if (last >= 1) push({1, last});
    while (!open_.empty() && open_.top().bound >= threshold()) {
      const Interval interval = open_.top();
      open_.pop();
      if (interval.first == interval.last) {
        decide(interval.first);
        continue;
      }
      const std::int64_t middle = interval.first + (interval.last - interval.first) / 2;
      push({interval.first, middle});
      push({middle + 1, interval.last});
    }
    sort_best_first(found_);
    if (found_.size() > options_.top) found_.resize(options_.top);
    return {found_, evaluated_, evaluator_.micro_batches()};
  }

 private:
  std::int64_t wafers() const { return evaluator_.problem().workload.wafers; }

  void push(Interval interval) {
    interval.bound = options_.use_bound ? bound(interval) : std::numeric_limits<double>::infinity();
    if (interval.bound >= threshold()) open_.push(interval);
  }

  /// Tokens/s that no plan with N in the interval exceeds.
  double bound(const Interval& interval) {
    const std::vector<TileWork> fastest = fastest_tiles(interval);
    const double step = evaluator_.tiled_seconds(fastest, interval.last) + evaluator_.batch_seconds(interval.first);
    return tokens_per_s(evaluator_.problem(), interval.last, step) * (1 + rounding);
  }

  /// Work of `interval.last` sequences at the best rate of any tile that fits beside interval.first sequences.
  std::vector<TileWork> fastest_tiles(const Interval& interval) {
    std::vector<TileWork> fastest = options_.uniform_only ? fastest_uniform(interval) : fastest_tiled(interval);
    for (TileWork& work : fastest) work = as_double(interval.last) * work;
    return fastest;
  }

  std::vector<TileWork> fastest_uniform(const Interval& interval) {
    if (interval.last > rate_table) return asymptotic(interval.last);
    std::vector<TileWork> fastest = rate(interval.first);
    for (std::int64_t b = interval.first + 1; b <= interval.last; ++b) keep_faster(fastest, rate(b));
    return fastest;
  }

  std::vector<TileWork> fastest_tiled(const Interval& interval) {
    // A tile larger than interval.first fits, beside at least itself, only if it does beside interval.first.
    const std::int64_t fitting = evaluator_.largest_tile_beside(interval.first);
    const std::int64_t largest = std::max<std::int64_t>(1, std::min(fitting, constraints_.max_tile.value_or(fitting)));
    if (largest > rate_table) return asymptotic(largest);
    while (static_cast<std::int64_t>(fastest_up_to_.size()) < largest) {
      std::vector<TileWork> next = rate(static_cast<std::int64_t>(fastest_up_to_.size()) + 1);
      if (!fastest_up_to_.empty()) keep_faster(next, fastest_up_to_.back());
      fastest_up_to_.push_back(std::move(next));
    }
    return fastest_up_to_[static_cast<std::size_t>(largest - 1)];
  }

  /// Seconds per sequence in tiles of `tile_batch`.
  std::vector<TileWork> rate(std::int64_t tile_batch) {
    std::vector<TileWork> work = evaluator_.tile(tile_batch);
    for (TileWork& layer : work) layer = (1 / as_double(tile_batch)) * layer;
    return work;
  }

  /// Below every tile's rate up to `tile_batch`: its rows unpadded, since time per slot falls with the slots.
  std::vector<TileWork> asymptotic(std::int64_t tile_batch) {
    const Problem& problem = evaluator_.problem();
    const std::int64_t tokens = product(tile_batch, problem.workload.seq_len);
    const double padded = row_slots(tokens, problem.wafer, problem.workload.precision);
    const double unpadded = as_double(tokens) / as_double(problem.wafer.rows);
    std::vector<TileWork> work = rate(tile_batch);
    for (TileWork& layer : work) layer = (unpadded / padded) * layer;
    return work;
  }

  static void keep_faster(std::vector<TileWork>& fastest, const std::vector<TileWork>& other) {
    const auto keep = [](Timed& best, const Timed& timed) {
      if (timed.seconds < best.seconds) best = timed;
    };
    for (std::size_t i = 0; i < fastest.size(); ++i) {
      keep(fastest[i].attention.forward, other[i].attention.forward);
      keep(fastest[i].attention.backward, other[i].attention.backward);
      keep(fastest[i].mlp.forward, other[i].mlp.forward);
      keep(fastest[i].mlp.backward, other[i].mlp.backward);
    }
  }

  void decide(std::int64_t sequences) {
    if (!allows_micro_batch(constraints_, wafers(), sequences)) return;
    if (options_.uniform_only) return consider({sequences, 1});
    for (std::int64_t b = 1; b <= sequences / b; ++b) {
      if (sequences % b != 0) continue;
      consider({b, sequences / b});
      if (b != sequences / b) consider({sequences / b, b});
    }
  }

  void consider(Tiling tiling) {
    if (!allows(constraints_, wafers(), tiling) || !evaluator_.fits(tiling)) return;
    const Candidate candidate = evaluator_.candidate(tiling);
    ++evaluated_;
    best_speeds_.push(candidate.tokens_per_s);
    if (best_speeds_.size() > options_.top) best_speeds_.pop();
    if (candidate.tokens_per_s >= threshold()) found_.push_back(candidate);
  }

  /// Below this a candidate is neither among the best nor tied with the last of them.
  double threshold() const {
    return best_speeds_.size() < options_.top ? 0 : best_speeds_.top() * (1 - 2 * tie);
  }

  Evaluator evaluator_;
  const Constraints& constraints_;
  const SearchOptions& options_;
  std::priority_queue<Interval> open_;
  std::priority_queue<double, std::vector<double>, std::greater<>> best_speeds_;  // of the `top` best
  std::vector<Candidate> found_;
  std::vector<std::vector<TileWork>> fastest_up_to_;  // [b-1]: best rate of tiles 1..b
  std::int64_t evaluated_ = 0;
};

}  // namespace

SearchResult search(const Problem& problem, const Constraints& constraints, const SearchOptions& options) {
  return Search(problem, constraints, options).run();
}

std::int64_t largest_feasible_micro_batch(const Problem& problem, const Constraints& constraints) {
  Evaluator evaluator(problem);
  return largest_that_fits(evaluator, constraints, false);
}

Candidate evaluate(const Problem& problem, Tiling tiling) {
  const std::int64_t sequences = micro_batch(tiling).value;
  const double step = step_time(problem, tiling).seconds;
  return {tiling, step, tokens_per_s(problem, sequences, step), peak_memory(problem, tiling).bytes};
}

std::vector<Candidate> all_feasible(const Problem& problem, const Constraints& constraints) {
  Evaluator evaluator(problem);
  const std::int64_t wafers = problem.workload.wafers;
  const std::int64_t most = largest_micro_batch(constraints, wafers).value_or(INT64_MAX);
  std::vector<Candidate> candidates;
  for (std::int64_t b = 1; b <= most && evaluator.fits({b, 1}); ++b)
    for (std::int64_t g = 1; g <= most / b && evaluator.fits({b, g}); ++g)
      if (allows(constraints, wafers, {b, g})) candidates.push_back(evaluator.candidate({b, g}));
  return candidates;
}

void sort_best_first(std::vector<Candidate>& candidates) {
  std::ranges::sort(candidates, std::greater{}, &Candidate::tokens_per_s);
  for (auto first = candidates.begin(); first != candidates.end();) {
    const double least = first->tokens_per_s * (1 - tie);
    const auto last = std::find_if(first, candidates.end(),
                                   [&](const Candidate& c) { return c.tokens_per_s < least; });
    std::sort(first, last, [](const Candidate& x, const Candidate& y) {
      return std::tie(x.peak, x.tiling.tiles) < std::tie(y.peak, y.tiling.tiles);
    });
    first = last;
  }
}

std::vector<Candidate> pareto_front(std::vector<Candidate> candidates) {
  std::ranges::sort(candidates, [](const Candidate& x, const Candidate& y) {
    return std::tie(x.peak, y.tokens_per_s) < std::tie(y.peak, x.tokens_per_s);
  });
  std::vector<Candidate> front;
  for (const Candidate& candidate : candidates)
    if (front.empty() || candidate.tokens_per_s > front.back().tokens_per_s) front.push_back(candidate);
  return front;
}

}  // namespace bta
