#include "plan/search.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>

#include "plan/evaluator.h"

namespace bta {
namespace {

constexpr double rounding = tie / 4;  // slack of the bound against floating point: two orders above its error

std::int64_t largest_that_fits(Evaluator& evaluator, const Constraints& constraints, bool uniform_only) {
  const std::int64_t wafers = evaluator.problem().workload.wafers;
  const std::int64_t most = largest_micro_batch(constraints, wafers).value_or(INT64_MAX / 4);
  return last_that(most, 1, [&](std::int64_t n) {
    return evaluator.fits(uniform_only ? Tiling{n, 1} : Tiling{1, n});
  });
}

struct Interval {
  std::int64_t first = 1, last = 1;  // of N
  double bound = 0;                  // no plan inside has more tokens/s
  std::int64_t rank = 0;             // of the bound, in steps of tie/4

  /// Highest bound first; on a plateau of equal bounds the smallest N, which has the least memory, first.
  bool operator<(const Interval& other) const {
    return std::tuple(rank, -first) < std::tuple(other.rank, -other.first);
  }
};

std::int64_t rank_of(double bound) {
  return std::isinf(bound) ? INT64_MAX : static_cast<std::int64_t>(std::log(bound) / rounding);
}

class Search {
 public:
  Search(const Problem& problem, const Constraints& constraints, const SearchOptions& options)
      : evaluator_(problem), constraints_(constraints), options_(options) {}

  SearchResult run() {
    const std::int64_t last = largest_that_fits(evaluator_, constraints_, options_.uniform_only);
    if (last >= 1) push({1, last});
    while (!open_.empty()) {
      const Interval interval = open_.top();
      open_.pop();
      if (interval.bound < threshold() || loses_every_tie(interval)) continue;
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
    interval.rank = rank_of(interval.bound);
    if (interval.bound >= threshold()) open_.push(interval);
  }

  /// Nothing inside, nor in any interval still open, is faster than the frugal plan by more than a tie, and
  /// all of it needs more memory: whichever plan turns out fastest, the frugal one ties with it and comes
  /// first.
  bool loses_every_tie(const Interval& interval) {
    if (options_.top != 1 || !frugal_ ||
        interval.bound * (1 + rounding) > frugal_->tokens_per_s * (1 + tie / 2))
      return false;
    const std::int64_t n = interval.first;
    return evaluator_.peak(options_.uniform_only ? Tiling{n, 1} : Tiling{1, n}) > frugal_->peak;
  }

  /// Tokens/s that no plan with N in the interval exceeds. The exact batch time is worked out only if needed.
  double bound(const Interval& interval) {
    const double tiled = evaluator_.tiled_seconds(fastest_tiles(interval), interval.last);
    const auto with = [&](double batch) {
      return tokens_per_s(evaluator_.problem(), interval.last, tiled + batch) * (1 + rounding);
    };
    const double loose = with(evaluator_.least_batch_seconds(interval.last));
    return loose < threshold() ? loose : std::min(loose, with(evaluator_.batch_seconds(interval.first)));
  }

  /// Work of `interval.last` sequences at the best rate of any tile that fits beside interval.first
  /// sequences.
  std::vector<TileWork> fastest_tiles(const Interval& interval) {
    std::vector<TileWork> fastest =
        options_.uniform_only ? fastest_uniform(interval) : fastest_tiled(interval);
    for (TileWork& work : fastest) work = as_double(interval.last) * work;
    return fastest;
  }

  std::vector<TileWork> fastest_uniform(const Interval& interval) {
    if (interval.last > options_.rate_table) return asymptotic(interval.last);
    std::vector<TileWork> fastest = rate(interval.first);
    for (std::int64_t b = interval.first + 1; b <= interval.last; ++b) keep_faster(fastest, rate(b));
    return fastest;
  }

  std::vector<TileWork> fastest_tiled(const Interval& interval) {
    const std::int64_t fitting = std::min(evaluator_.largest_tile_beside(interval.first), interval.last);
    const std::int64_t largest = std::max<std::int64_t>(1, fitting);
    if (largest > options_.rate_table) return asymptotic(largest);
    tabulate_rates(static_cast<std::size_t>(largest));
    if (interval.last - interval.first + 1 >= largest)
      return fastest_up_to_[static_cast<std::size_t>(largest - 1)];
    std::vector<TileWork> fastest = rates_.front();
    for (std::int64_t b = 2; b <= largest; ++b)  // only tiles with a multiple in the interval
      if (interval.last / b * b >= interval.first)
        keep_faster(fastest, rates_[static_cast<std::size_t>(b - 1)]);
    return fastest;
  }

  void tabulate_rates(std::size_t largest) {
    while (rates_.size() < largest) {
      rates_.push_back(rate(static_cast<std::int64_t>(rates_.size()) + 1));
      fastest_up_to_.push_back(rates_.back());
      if (rates_.size() > 1) keep_faster(fastest_up_to_.back(), fastest_up_to_[rates_.size() - 2]);
    }
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
    const Candidate candidate = evaluator_.candidate(tiling, constraints_);
    ++evaluated_;
    remember_frugal(candidate);
    best_speeds_.push(candidate.tokens_per_s);
    if (best_speeds_.size() > options_.top) best_speeds_.pop();
    if (candidate.tokens_per_s >= threshold()) found_.push_back(candidate);
  }

  /// Keeps the plan of least memory among those within a quarter tie of the fastest so far.
  void remember_frugal(const Candidate& candidate) {
    fastest_ = std::max(fastest_, candidate.tokens_per_s);
    const double least = fastest_ * (1 - tie / 4);
    const bool outdated = !frugal_ || frugal_->tokens_per_s < least;
    if (candidate.tokens_per_s >= least && (outdated || candidate.peak < frugal_->peak)) frugal_ = candidate;
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
  double fastest_ = 0;
  std::optional<Candidate> frugal_;
  std::vector<std::vector<TileWork>> rates_,
      fastest_up_to_;  // [b-1]: rate of tile b, best rate of tiles 1..b
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

Candidate evaluate(const Problem& problem, Tiling tiling, const Constraints& constraints) {
  return Evaluator(problem).candidate(tiling, constraints);
}

std::vector<Candidate> all_feasible(const Problem& problem, const Constraints& constraints) {
  Evaluator evaluator(problem);
  const std::int64_t wafers = problem.workload.wafers;
  const std::int64_t most = largest_micro_batch(constraints, wafers).value_or(INT64_MAX);
  std::vector<Candidate> candidates;
  for (std::int64_t b = 1; b <= most && evaluator.fits({b, 1}); ++b)
    for (std::int64_t g = 1; g <= most / b && evaluator.fits({b, g}); ++g)
      if (allows(constraints, wafers, {b, g})) candidates.push_back(evaluator.candidate({b, g}, constraints));
  return candidates;
}

void sort_best_first(std::vector<Candidate>& candidates) {
  std::ranges::sort(candidates, std::greater{}, &Candidate::tokens_per_s);
  for (auto first = candidates.begin(); first != candidates.end();) {
    const double least = first->tokens_per_s * (1 - tie);
    const auto last =
        std::find_if(first, candidates.end(), [&](const Candidate& c) { return c.tokens_per_s < least; });
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
