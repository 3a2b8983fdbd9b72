// Random configurations, small and awkward: odd sizes, B = 1, G = 1, k = E, E not a power of two, experts
// without tokens, all tokens on the same experts, cap = 1, shared experts with and without gate, heads in
// groups, windows, blocked kernels with blocks that do not divide, every checkpoint policy, head chunks that
// do not divide, wide elements. The same seed gives the same case everywhere.
#pragma once

#include <cstdint>

#include "cost/problem.h"
#include "executor/config.h"
#include "executor/run.h"

namespace bta::verify {

struct RandomCase {
  Problem problem;
  executor::Config config;
  executor::LoadSource loads;  // of a run without data
};
RandomCase random_case(std::uint64_t seed);

}  // namespace bta::verify
