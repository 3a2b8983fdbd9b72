// Time: operators one by one, phases at the row loads a run really had, and the mean of many seeded runs
// against the closed form's expectation. The closed form plus its stated fill and drain (cost/fill.h) is what
// is compared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cost/problem.h"
#include "executor/execute.h"
#include "verify/check.h"

namespace bta::verify {

/// Busy seconds of every resource and elapsed seconds of every operator, forward and gradients, at several
/// row loads.
Check check_operator_times(const Problem& problem);

/// Elapsed and busy seconds of every kind of phase at the run's own row loads, at stream overlap 0, 1/2
/// and 1. The problem has one layer of each kind.
void compare_phase_times(Comparison& comparison, const Problem& problem, Tiling tiling,
                         const executor::Measured& measured);

/// Mean step time over seeded runs at stream overlap 0 and 1, |z| < 4, for several sparsity levels of one
/// placement and routing. Runs until the standard error is below `error` of the mean, at most 20,000 times.
inline constexpr double mean_error = 0.0015;
Check check_mean_time(const Problem& problem, Tiling tiling, std::uint64_t seed, double error = mean_error);

/// Of times that are the same sums in another order.
inline constexpr double time_tolerance = 1e-9;

inline constexpr std::string_view operator_claim = "operator times equal the executor's own count of cycles";
inline constexpr std::string_view mean_claim = "mean time of seeded runs equals the expectation";

/// The problem at other sparsity levels: E and k of the model, k = 1, half of E.
std::vector<Problem> sparsity_levels(const Problem& problem);

/// The problem with each kind of layer once.
Problem one_of_each(const Problem& problem);

}  // namespace bta::verify
