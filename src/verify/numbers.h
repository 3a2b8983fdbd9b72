// What a run with data must satisfy: the tiling does not change a bit, sequences keep their order and do not
// see one another, an independent implementation and finite differences agree.
#pragma once

#include <cstdint>

#include "cost/problem.h"
#include "verify/check.h"

namespace bta::verify {

/// A problem small enough to run with data, and the seed of its weights and tokens.
struct Sample {
  const Problem& problem;
  std::int64_t sequences = 1;  // N
  std::uint64_t seed = 1;
};

/// Loss, logits and every gradient of every (B, G) with B*G = N, and of every checkpoint policy, have the
/// bits of B = N.
Check check_tilings_double(const Sample& sample);
Check check_tilings_float(const Sample& sample);

/// Sequences in another order give the same results in that order; a changed sequence changes no other; a
/// changed token changes no earlier one.
Check check_order(const Sample& sample);

/// Plain loops, untiled, gradients by automatic differentiation: loss, logits, experts' tokens, all
/// gradients.
Check check_plain(const Sample& sample, Tiling tiling);

/// Central differences of the executor's loss in double, for every kind of weight.
Check check_finite_differences(const Sample& sample, Tiling tiling);

inline constexpr std::string_view order_claim = "sequences keep their order and do not see one another";
inline constexpr std::string_view plain_claim = "an independent untiled implementation agrees";
inline constexpr std::string_view difference_claim = "gradients agree with central differences";

/// Every (B, G) with B*G = n.
std::vector<Tiling> tilings_of(std::int64_t n);

}  // namespace bta::verify
