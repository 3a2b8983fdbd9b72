#include "plan/plan.h"

#include <cmath>

#include "cost/step_time.h"
#include "model/parameters.h"
#include "plan/infeasible.h"

namespace bta {
namespace {

std::optional<Candidate> first_of(const SearchResult& result) {
  return result.best.empty() ? std::nullopt : std::optional(result.best.front());
}

std::optional<Candidate> best_uniform(const Problem& problem, const Constraints& constraints) {
  return first_of(search(problem, constraints, {.uniform_only = true}));
}

std::optional<double> ratio(const std::optional<Candidate>& over, const std::optional<Candidate>& under) {
  if (!over || !under) return std::nullopt;
  const double value = over->tokens_per_s / under->tokens_per_s;
  return std::abs(value - 1) <= tie ? 1 : value;  // plans that tie are equally fast
}

std::optional<double> loss(const std::optional<Candidate>& actual,
                           const std::optional<Candidate>& reference) {
  const std::optional<double> kept = ratio(actual, reference);
  return kept ? std::optional(1 - *kept) : std::nullopt;
}

/// Searches that several levels share: the same dense model is planned once.
class DenseReference {
 public:
  const std::optional<Candidate>& at(const PlanRequest& request, const Model& model) {
    const Model dense = dense_equivalent(model);
    if (!planned_ || dense.layers != layers_) {
      layers_ = dense.layers;
      best_ = best_uniform(make_problem(dense, request.wafer, request.workload), request.constraints);
      planned_ = true;
    }
    return best_;
  }

 private:
  bool planned_ = false;
  std::vector<Layer> layers_;
  std::optional<Candidate> best_;
};

void add_blocked(PlanRow& row, const Problem& problem, const Constraints& constraints) {
  if (problem.workload.kernel == AttentionKernel::blocked) return;
  Problem blocked = problem;
  blocked.workload.kernel = AttentionKernel::blocked;
  const std::optional<Candidate> best = first_of(search(blocked, constraints));
  if (best) row.blocked_tokens_per_s = best->tokens_per_s;
  row.blocked_speedup = ratio(best, best_uniform(blocked, constraints));
}

void add_best(PlanRow& row, const Problem& problem, const Constraints& constraints) {
  const std::int64_t sequences = micro_batch(row.best->tiling).value;
  if (row.level)
    row.tokens_per_expert = as_double(product(sequences, problem.workload.seq_len, row.level->top_k)) /
                            as_double(row.level->experts);
  const double flops_per_sequence =
      as_double(count_flops(problem, 1).hardware);  // a huge step may exceed 64 bits
  row.utilization = utilization(problem, flops_per_sequence * as_double(sequences), row.best->step_s);
  row.bound = plan_bound(problem, constraints, *row.best);
  row.step_bound = resource_name(binding(step_time(problem, row.best->tiling).busy));
}

PlanRow plan_level(const PlanRequest& request, const std::optional<Level>& level, DenseReference& dense) {
  const Model model = level ? at_level(request.model, *level) : request.model;
  const Problem problem = make_problem(model, request.wafer, request.workload);
  PlanRow row;
  row.level = level;
  if (level) row.sparsity = 1 - as_double(level->top_k) / as_double(level->experts);
  row.active_parameters = count_parameters(model).active();
  row.memory_limit = memory_limit(request.wafer);
  row.best = first_of(search(problem, request.constraints));
  row.uniform = best_uniform(problem, request.constraints);
  row.dense = dense.at(request, model);
  row.speedup = ratio(row.best, row.uniform);
  row.loss_uniform = loss(row.uniform, row.dense);
  row.loss_bta = loss(row.best, row.dense);
  if (row.best) add_best(row, problem, request.constraints);
  if (!row.best) row.reason = why_nothing_fits(problem, request.constraints);
  add_blocked(row, problem, request.constraints);
  return row;
}

/// Points with a larger micro-batch that the constraints allow: one more tile or one more sequence per tile;
/// with a global batch, which allows neither as a rule, every tiling of the allowed micro-batches up to twice
/// the size.
std::vector<Tiling> larger_points(const Constraints& constraints, std::int64_t wafers, Tiling tiling) {
  std::vector<Tiling> points{{tiling.tile_batch, tiling.tiles + 1}, {tiling.tile_batch + 1, tiling.tiles}};
  const std::int64_t n = micro_batch(tiling).value;
  if (constraints.global_batch)
    for (std::int64_t larger = n + 1; larger <= 2 * n; ++larger)
      for (std::int64_t b = 1; b <= larger && allows_micro_batch(constraints, wafers, larger); ++b)
        if (larger % b == 0) points.push_back({b, larger / b});
  std::erase_if(points, [&](Tiling point) { return !allows(constraints, wafers, point); });
  return points;
}

}  // namespace

std::string plan_bound(const Problem& problem, const Constraints& constraints, const Candidate& best) {
  const Bytes limit = memory_limit(problem.wafer);
  for (const Tiling larger : larger_points(constraints, problem.workload.wafers, best.tiling)) {
    const Candidate next = evaluate(problem, larger, constraints);
    if (next.peak > limit && next.tokens_per_s > best.tokens_per_s) return "memory";
  }
  return std::string(resource_name(binding(step_time(problem, best.tiling).busy)));
}

Plan make_plan(const PlanRequest& request) {
  Plan plan{request, {}, {}};
  DenseReference dense;
  if (request.levels.empty()) plan.rows.push_back(plan_level(request, std::nullopt, dense));
  for (const Level& level : request.levels) plan.rows.push_back(plan_level(request, level, dense));
  return plan;
}

}  // namespace bta
