#include "plan/confidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "calibrate/run.h"
#include "calibrate/sample.h"

namespace bta {
namespace {

/// What one draw says of a row.
struct Draw {
  double best = 0;  // tokens/s of the planned (B, G)
  std::optional<double> uniform, dense;
  std::optional<Tiling> rival;  // faster than the planned one by more than the margin
};
using Draws = std::vector<Draw>;

/// A point of the plan, with its row loads worked out: they are the same on every wafer of the draws.
struct Point {
  Run run;
  double filled = 1;  // share of its sequences that the global batch has
};

std::optional<Point> point(const Model& model, const PlanRequest& request,
                           const std::optional<Candidate>& candidate) {
  if (!candidate) return std::nullopt;
  const Tiling tiling = candidate->tiling;
  return Point{make_run("", make_problem(model, request.wafer, request.workload), tiling),
               filled_fraction(request.constraints, request.workload.wafers, micro_batch(tiling).value)};
}

std::optional<double> throughput(const std::optional<Point>& point, const Wafer& wafer) {
  return point ? std::optional(point->filled * predicted(point->run, wafer)) : std::nullopt;
}

std::optional<Tiling> rival_of(const Problem& problem, const Constraints& constraints, double planned) {
  const Candidate best = search(problem, constraints).best.front();
  if (best.tokens_per_s <= planned * (1 + flip_margin)) return std::nullopt;
  return best.tiling;
}

Draws draws_of(const PlanRow& row, const PlanRequest& request, const std::vector<Wafer>& wafers) {
  const Model model = row.level ? at_level(request.model, *row.level) : request.model;
  const std::optional<Point> best = point(model, request, row.best),
                             uniform = point(model, request, row.uniform),
                             dense = point(dense_equivalent(model), request, row.dense);
  Draws draws;
  for (const Wafer& wafer : wafers) {
    Draw draw{*throughput(best, wafer), throughput(uniform, wafer), throughput(dense, wafer), std::nullopt};
    if (draws.size() < searched_samples)
      draw.rival = rival_of(make_problem(model, wafer, request.workload), request.constraints, draw.best);
    draws.push_back(draw);
  }
  return draws;
}

/// Between the two nearest of the sorted values, as spreadsheets do.
double quantile(const std::vector<double>& sorted, double p) {
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

/// The interval of what `value` makes of a draw; absent when it makes nothing.
std::optional<Interval> interval(const Draws& draws, double confidence, const auto& value) {
  std::vector<double> values;
  for (const Draw& draw : draws)
    if (const std::optional<double> v = value(draw)) values.push_back(*v);
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  return Interval{quantile(values, (1 - confidence) / 2), quantile(values, (1 + confidence) / 2)};
}

std::optional<double> over(double value, const std::optional<double>& base) {
  return base ? std::optional(value / *base) : std::nullopt;
}

std::optional<double> loss(const std::optional<double>& kept) {
  return kept ? std::optional(1 - *kept) : std::nullopt;
}

void add_flips(RowConfidence& row, const Draws& draws) {
  std::map<std::pair<std::int64_t, std::int64_t>, int> count;
  for (const Draw& draw : draws)
    if (draw.rival) ++count[{draw.rival->tile_batch, draw.rival->tiles}];
  int flips = 0, most = 0;
  for (const auto& [tiling, times] : count) {
    flips += times;
    if (times > most) row.rival = Tiling{tiling.first, tiling.second};
    most = std::max(most, times);
  }
  row.flips = static_cast<double>(flips) / static_cast<double>(std::min(draws.size(), searched_samples));
}

RowConfidence summary(const Draws& draws, double confidence) {
  using Value = std::optional<double>;
  const auto of = [&](const auto& value) { return interval(draws, confidence, value); };
  RowConfidence row;
  row.tokens_per_s = *of([](const Draw& d) { return Value(d.best); });
  row.uniform_tokens_per_s = of([](const Draw& d) { return d.uniform; });
  row.dense_tokens_per_s = of([](const Draw& d) { return d.dense; });
  row.speedup = of([](const Draw& d) { return over(d.best, d.uniform); });
  row.loss_uniform = of([](const Draw& d) { return d.uniform ? loss(over(*d.uniform, d.dense)) : Value(); });
  row.loss_bta = of([](const Draw& d) { return loss(over(d.best, d.dense)); });
  add_flips(row, draws);
  return row;
}

/// How often the slower of two rows is the faster one.
double share_that_flips(const Draws& faster, const Draws& slower) {
  double changed = 0;
  for (std::size_t j = 0; j < faster.size(); ++j)
    changed += slower[j].best > faster[j].best * (1 + tie) ? 1 : 0;
  return changed / static_cast<double>(faster.size());
}

/// Pairs of rows that change places in more draws than the interval leaves out on one side.
std::vector<OrderFlip> order_flips(const Plan& plan, const std::vector<Draws>& draws, double confidence) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < plan.rows.size(); ++i)
    if (plan.rows[i].feasible()) order.push_back(i);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return plan.rows[a].best->tokens_per_s > plan.rows[b].best->tokens_per_s;
  });
  std::vector<OrderFlip> flips;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      const double share = share_that_flips(draws[order[i]], draws[order[j]]);
      if (share > (1 - confidence) / 2) flips.push_back({order[i], order[j], share});
    }
  return flips;
}

}  // namespace

std::string why_not_sure(const Wafer& wafer) {
  if (!wafer.calibration || wafer.calibration->values.empty())
    return fmt::format(
        "{} has no record of a calibration, so nothing is known of how sure its numbers are; "
        "'bta-plan calibrate' writes one",
        wafer.name);
  if (drawn_parameters(wafer).empty())
    return fmt::format(
        "every number of {} that was calibrated is replaced, so nothing is known of how sure they "
        "are",
        wafer.name);
  if (!sample_wafers(wafer, 1).empty()) return "";
  return fmt::format(
      "the correlations in the calibration of {} are none: the matrix is not positive definite", wafer.name);
}

void add_confidence(Plan& plan, double confidence) {
  const PlanRequest& request = plan.request;
  const std::vector<Wafer> wafers = sample_wafers(request.wafer, confidence_samples);
  std::vector<Draws> draws(plan.rows.size());
  for (std::size_t i = 0; i < plan.rows.size(); ++i) {
    PlanRow& row = plan.rows[i];
    if (!row.feasible()) continue;
    draws[i] = draws_of(row, request, wafers);
    row.confidence = summary(draws[i], confidence);
  }
  plan.confidence = PlanConfidence{confidence, static_cast<std::int64_t>(wafers.size()),
                                   order_flips(plan, draws, confidence)};
}

}  // namespace bta
