#include "calibrate/resident.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cost/memory.h"

namespace bta {
namespace {

constexpr double equal = 1e-12;
constexpr int most_score_tensors = 4;
constexpr int most_reserved_percent = 50;
/// Among equals the first of these is as cautious as can be, then the second.
constexpr std::array memory_keys = {"attention_kernel.score_heads", "attention_kernel.score_tensors_forward",
                                    "attention_kernel.score_tensors_backward", "core.reserved_fraction"};

std::ptrdiff_t place(const WaferParameter* parameter) {
  return std::ranges::find(memory_keys, parameter->key) - memory_keys.begin();
}

bool fits(const Problem& problem, Tiling tiling) {
  return peak_memory(problem, tiling).bytes <= memory_limit(problem.wafer);
}

std::int64_t most_heads(const std::vector<Run>& runs) {
  std::int64_t most = 1;
  for (const Run& run : runs) most = std::max(most, most_heads(run.problem));
  return most;
}

/// The most cautious value first.
std::vector<double> values_of(const WaferParameter& parameter, const std::vector<Run>& runs) {
  std::vector<double> values;
  if (parameter.scale == ParameterScale::share)
    for (int percent = most_reserved_percent; percent >= 0; --percent) values.push_back(percent / 100.0);
  else if (parameter.key == "attention_kernel.score_heads")
    for (std::int64_t heads = most_heads(runs); heads >= 1; --heads) values.push_back(as_double(heads));
  else
    for (int tensors = most_score_tensors; tensors >= 1; --tensors) values.push_back(tensors);
  return values;
}

double squared_log(std::int64_t a, std::int64_t b) {
  const double log = std::log(as_double(std::max<std::int64_t>(1, a)) / as_double(b));
  return log * log;
}

/// What is above `enough` need not be whole.
double misfit(const std::vector<Run>& runs, const std::vector<const WaferParameter*>& parameters,
              const std::vector<double>& values, double enough) {
  double sum = 0;
  for (const Run& run : runs) {
    if (sum > enough) return sum;
    Problem problem = run.problem;
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i]->set(problem.wafer, values[i]);
    const bool fit = fits(problem, run.tiling);
    if (fit && !run.largest_batch) continue;
    const std::int64_t largest = largest_uniform_batch(run, problem.wafer);
    if (!fit) sum += squared_log(largest, micro_batch(run.tiling).value);
    if (run.largest_batch) sum += squared_log(largest, *run.largest_batch);
  }
  return sum;
}

/// Every combination, the first parameter changing last: calls visit(values).
void each_combination(const std::vector<std::vector<double>>& choices, std::vector<double>& values,
                      const auto& visit) {
  if (values.size() == choices.size()) return visit(values);
  for (const double value : choices[values.size()]) {
    values.push_back(value);
    each_combination(choices, values, visit);
    values.pop_back();
  }
}

}  // namespace

bool decides_memory_only(const WaferParameter& parameter) {
  return std::ranges::find(memory_keys, parameter.key) != memory_keys.end();
}

bool fits(const Run& run, const Wafer& wafer) {
  Problem problem = run.problem;
  problem.wafer = wafer;
  return fits(problem, run.tiling);
}

std::int64_t largest_uniform_batch(const Run& run, const Wafer& wafer) {
  Problem problem = run.problem;
  problem.wafer = wafer;
  std::int64_t known = 0, fails = 1;
  for (; fits(problem, {fails, 1}); fails *= 2) known = fails;
  while (fails - known > 1) {
    const std::int64_t middle = known + (fails - known) / 2;
    (fits(problem, {middle, 1}) ? known : fails) = middle;
  }
  return known;
}

ResidentFit fit_resident(const std::vector<Run>& runs, std::vector<const WaferParameter*> parameters) {
  std::ranges::sort(parameters, {}, place);
  ResidentFit best;
  if (parameters.empty()) return best;
  std::vector<std::vector<double>> choices;
  for (const WaferParameter* parameter : parameters) choices.push_back(values_of(*parameter, runs));
  best.misfit = INFINITY;
  std::vector<double> values;
  each_combination(choices, values, [&](const std::vector<double>& chosen) {
    const double now = misfit(runs, parameters, chosen, best.misfit + equal);
    if (now > best.misfit + equal) return;
    if (now < best.misfit - equal) {
      best = {{}, now};
      for (std::size_t i = 0; i < chosen.size(); ++i)
        best.estimates.push_back({parameters[i], chosen[i], chosen[i], chosen[i], false});
    }
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      best.estimates[i].low = std::min(best.estimates[i].low, chosen[i]);
      best.estimates[i].high = std::max(best.estimates[i].high, chosen[i]);
    }
  });
  for (std::size_t i = 0; i < best.estimates.size(); ++i)
    best.estimates[i].identified =
        best.estimates[i].low > choices[i].back() || best.estimates[i].high < choices[i].front();
  return best;
}

}  // namespace bta
