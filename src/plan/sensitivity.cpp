#include "plan/sensitivity.h"

#include <algorithm>
#include <cmath>

#include "plan/infeasible.h"

namespace bta {
namespace {

constexpr double elasticity_step = 1e-4;
constexpr std::string_view widths = "core.multiply_adds_per_cycle.";
constexpr std::string_view score_heads = "attention_kernel.score_heads";

/// One number, and what it may be in this problem.
struct Variable {
  const WaferParameter* parameter;
  double value;
  double most;
};

Variable variable(const Problem& problem, const WaferParameter& parameter) {
  if (parameter.key == score_heads && !problem.wafer.score_heads)
    return {&parameter, as_double(most_heads(problem)), as_double(most_heads(problem))};
  return {&parameter, parameter.value(problem.wafer), parameter.most};
}

double within(const Variable& x, double value) {
  return std::clamp(value, x.parameter->least, x.most);
}

Problem problem_at(const Problem& problem, const Variable& x, double value) {
  return make_problem(problem.model, with(problem.wafer, *x.parameter, value), problem.workload);
}

/// Vector widths of other precisions have no part in the problem.
bool belongs_to(const WaferParameter& parameter, const Problem& problem) {
  if (!parameter.key.starts_with(widths)) return true;
  const Wafer wider = with(problem.wafer, parameter, parameter.value(problem.wafer) + 1);
  return vector_width(wider, problem.workload.precision) !=
         vector_width(problem.wafer, problem.workload.precision);
}

/// Relative; 0 for a tie.
double change_of(double after, double before) {
  const double change = after / before - 1;
  return std::abs(change) <= tie ? 0 : change;
}

std::optional<double> elasticity(const Sensitivity& s, const Variable& x) {
  const ParameterScale scale = x.parameter->scale;
  if (scale == ParameterScale::share || x.value == 0) return std::nullopt;
  const double step =
      scale == ParameterScale::whole ? step_size(scale, x.value, small_steps) : elasticity_step * x.value;
  const double low = within(x, x.value - step), high = within(x, x.value + step);
  if (low == high) return std::nullopt;
  const auto speed = [&](double value) {
    return evaluate(problem_at(s.problem, x, value), s.point.tiling, s.constraints).tokens_per_s;
  };
  return std::log1p(change_of(speed(high), speed(low))) / std::log(high / low);
}

std::optional<SmallStep> small_step(const Sensitivity& s, const Variable& x) {
  const double step = step_size(x.parameter->scale, x.value, small_steps);
  const double value = x.value + step <= x.most ? x.value + step : x.value - step;
  if (value < x.parameter->least) return std::nullopt;
  const Problem changed = problem_at(s.problem, x, value);
  const Candidate point = evaluate(changed, s.point.tiling, s.constraints);
  return SmallStep{x.parameter->value(changed.wafer), change_of(point.tokens_per_s, s.point.tokens_per_s),
                   point.peak <= memory_limit(changed.wafer)};
}

std::optional<Candidate> best_of(const Problem& problem, const Constraints& constraints) {
  const SearchResult found = search(problem, constraints);
  return found.best.empty() ? std::nullopt : std::optional(found.best.front());
}

std::optional<Replanned> replanned(const Sensitivity& s, const Variable& x, double step) {
  const double value = within(x, x.value + step);
  if (value == x.value) return std::nullopt;
  const Problem changed = problem_at(s.problem, x, value);
  const std::optional<Candidate> best = best_of(changed, s.constraints);
  Replanned result{x.parameter->value(changed.wafer), {}, {}};
  if (best) result.tiling = best->tiling;
  if (s.best) result.change = change_of(best ? best->tokens_per_s : 0, s.best->tokens_per_s);
  return result;
}

ParameterEffect effect_of(const Sensitivity& s, const WaferParameter& parameter) {
  const Variable x = variable(s.problem, parameter);
  const double step = step_size(parameter.scale, x.value, large_steps);
  ParameterEffect effect{
      &parameter,           x.value, {}, {}, elasticity(s, x), small_step(s, x), replanned(s, x, -step),
      replanned(s, x, step)};
  const auto& numbers = s.problem.wafer.numbers;
  const auto number = std::ranges::find(numbers, parameter.key, &SourcedNumber::key);
  if (number != numbers.end()) {
    effect.written = number->value;
    effect.kind = number->kind;
  }
  return effect;
}

double size_of(const std::optional<Replanned>& plan) {
  return plan ? std::abs(plan->change.value_or(0)) : 0;
}

bool makes_feasible(const std::optional<Replanned>& plan) {
  return plan && plan->tiling && !plan->change;
}

/// Per percent of the number, where it has an elasticity.
double change_at_tiling(const ParameterEffect& effect) {
  if (effect.elasticity) return std::abs(small_steps.relative * *effect.elasticity);
  return effect.step ? std::abs(effect.step->change) : 0;
}

}  // namespace

double step_size(ParameterScale scale, double value, const StepSizes& steps) {
  switch (scale) {
    case ParameterScale::ratio:
      return steps.relative * value;
    case ParameterScale::whole:
      return std::max(1.0, std::round(steps.relative * value));
    case ParameterScale::share:
      return steps.share;
    case ParameterScale::time:
      return steps.time_s;
  }
  return 0;
}

double comparable(const ParameterEffect& effect) {
  if (effect.parameter->scale != ParameterScale::whole) return 1;
  const double step = step_size(ParameterScale::whole, effect.value, large_steps);
  return std::min(1.0, large_steps.relative * effect.value / step);
}

double largest_change(const ParameterEffect& effect) {
  return comparable(effect) * std::max(size_of(effect.less), size_of(effect.more));
}

bool has_effect(const ParameterEffect& effect) {
  return largest_change(effect) > 0 || effect.elasticity.value_or(0) != 0 ||
         (effect.step && effect.step->change != 0) || makes_feasible(effect.less) ||
         makes_feasible(effect.more);
}

Sensitivity sensitivity(const Problem& problem, const Constraints& constraints, Tiling tiling) {
  Sensitivity s{problem,
                constraints,
                evaluate(problem, tiling, constraints),
                why_infeasible(problem, constraints, tiling),
                best_of(problem, constraints),
                {}};
  for (const WaferParameter& parameter : wafer_parameters())
    if (belongs_to(parameter, problem)) s.effects.push_back(effect_of(s, parameter));
  std::ranges::stable_sort(s.effects, std::ranges::greater{}, [&](const ParameterEffect& effect) {
    return s.best ? largest_change(effect) : change_at_tiling(effect);
  });
  return s;
}

}  // namespace bta
