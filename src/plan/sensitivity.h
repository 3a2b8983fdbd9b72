// What tokens/s owe to each number of a wafer: which one to measure, which one to improve next.
//   elasticity  d ln(tokens/s) / d ln(x) at one tiling, as ln(T(x+)/T(x-)) / ln(x+/x-); x+- = x*(1 +- 1e-4),
//               whole numbers x +- their small step; one-sided where the range of x ends. Error about 1e-6;
//               where two resources are equally busy the mean of both sides
//   small step  T(x')/T(x) - 1 at the same tiling; x' is more, or less where the range ends
//   replanned   best(x')/best(x) - 1, best: the highest T over all (B, G) that fit; x' is less, and more, cut
//               short where the range ends
// Steps, small and large: a ratio 1 % and 10 %, a whole number the same but at least 1, a share 0.01 and
// 0.05, a time 0.1 ms. To compare numbers, the change by a whole number's step above 10 % counts in
// proportion. T scales with all rates (clock, streams) and inversely with all times, so that the elasticities
// of the rates less those of the times add up to 1. `score_heads: all` counts as the heads of the model,
// which it cannot exceed. Valid for any tiling, whether it fits or not. Source: docs/model.md, "Sensitivity".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hardware/parameters.h"
#include "plan/constraints.h"
#include "plan/search.h"

namespace bta {

/// By how much a number of each scale is changed.
struct StepSizes {
  double relative = 0;  // of a ratio, and of a whole number, rounded, at least 1
  double share = 0;
  double time_s = 0;
};
inline constexpr StepSizes small_steps{.relative = 0.01, .share = 0.01, .time_s = 1e-4};
inline constexpr StepSizes large_steps{.relative = 0.1, .share = 0.05, .time_s = 1e-4};

/// Of a number at `value`, in its unit.
double step_size(ParameterScale scale, double value, const StepSizes& steps);

/// The same tiling with one number changed.
struct SmallStep {
  double value = 0;   // x'
  double change = 0;  // of tokens/s, relative
  bool fits = false;  // the memory, not the constraints
};

/// Planned again with one number changed.
struct Replanned {
  double value = 0;              // x'
  std::optional<double> change;  // of the best tokens/s, relative; -1 when nothing fits any more, absent when
                                 // nothing did before
  std::optional<Tiling> tiling;  // absent when nothing fits
};

/// What one number does. Absent steps: the range of the number has no room.
struct ParameterEffect {
  const WaferParameter* parameter = nullptr;
  double value = 0;                  // x, in the parameter's unit
  std::string written;               // as in the description; empty when it is not there
  std::string kind;                  // its standing there, see SourcedNumber
  std::optional<double> elasticity;  // of ratios and whole numbers, and of times above 0
  std::optional<SmallStep> step;
  std::optional<Replanned> less, more;
};

struct Sensitivity {
  Problem problem;
  Constraints constraints;
  Candidate point;                       // the tiling asked about
  std::string reason;                    // why it is infeasible; empty when it is not
  std::optional<Candidate> best;         // with the numbers as they are; absent when nothing is feasible
  std::vector<ParameterEffect> effects;  // largest first, by their largest_change; where nothing is feasible
                                         // by the elasticity, or the small step
};

Sensitivity sensitivity(const Problem& problem, const Constraints& constraints, Tiling tiling);

/// By what replanned changes of this number are multiplied to compare them with those of others: 1, but
/// 10 % over the step of a whole number whose step is larger than 10 %.
double comparable(const ParameterEffect& effect);

/// The larger of both replanned changes, in size, comparable.
double largest_change(const ParameterEffect& effect);

/// Does any step change anything, in tokens/s or in what fits?
bool has_effect(const ParameterEffect& effect);

}  // namespace bta
