#include "plan/confidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

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

double throughput(const Model& model, const PlanRequest& request, const Wafer& wafer, Tiling tiling) {
  return evaluate(make_problem(model, wafer, request.workload), tiling, request.constraints).tokens_per_s;
}

std::optional<Tiling> rival_of(const Problem& problem, const Constraints& constraints, double planned) {
  const Candidate best = search(problem, constraints).best.front();
  if (best.tokens_per_s <= planned * (1 + flip_margin)) return std::nullopt;
  return best.tiling;
}

Draw draw(const PlanRow& row, const Model& model, const PlanRequest& request, const Wafer& wafer) {
  Draw result;
  result.best = throughput(model, request, wafer, row.best->tiling);
  if (row.uniform) result.uniform = throughput(model, request, wafer, row.uniform->tiling);
  if (row.dense) result.dense = throughput(dense_equivalent(model), request, wafer, row.dense->tiling);
  result.rival = rival_of(make_problem(model, wafer, request.workload), request.constraints, result.best);
  return result;
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
  row.flips = static_cast<double>(flips) / static_cast<double>(draws.size());
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

/// Neighbours in the plan's order of throughput that change places in more draws than the interval leaves
/// out.
std::vector<OrderFlip> order_flips(const Plan& plan, const std::vector<Draws>& draws, double confidence) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < plan.rows.size(); ++i)
    if (plan.rows[i].feasible()) order.push_back(i);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return plan.rows[a].best->tokens_per_s > plan.rows[b].best->tokens_per_s;
  });
  std::vector<OrderFlip> flips;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const Draws &faster = draws[order[i]], &slower = draws[order[i + 1]];
    double changed = 0;
    for (std::size_t j = 0; j < faster.size(); ++j)
      changed += slower[j].best > faster[j].best * (1 + tie) ? 1 : 0;
    const double share = changed / static_cast<double>(faster.size());
    if (share > (1 - confidence) / 2) flips.push_back({order[i], order[i + 1], share});
  }
  return flips;
}

}  // namespace

std::string why_not_sure(const Wafer& wafer) {
  if (!sample_wafers(wafer, 1).empty()) return "";
  if (!wafer.calibration || wafer.calibration->values.empty())
    return fmt::format(
        "{} has no record of a calibration, so nothing is known of how sure its numbers are; "
        "'bta-plan calibrate' writes one",
        wafer.name);
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
    const Model model = row.level ? at_level(request.model, *row.level) : request.model;
    for (const Wafer& wafer : wafers) draws[i].push_back(draw(row, model, request, wafer));
    row.confidence = summary(draws[i], confidence);
  }
  plan.confidence = PlanConfidence{confidence, static_cast<std::int64_t>(wafers.size()),
                                   order_flips(plan, draws, confidence)};
}

}  // namespace bta
