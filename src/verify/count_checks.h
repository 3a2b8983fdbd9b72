// The claims on counts over many small runs: one row for each claim.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "verify/counts.h"

namespace bta::verify {

struct CountClaim {
  std::string_view claim;
  void (*compare)(Comparison&, const Counted&);
};
inline constexpr std::array count_claims = {
    CountClaim{"FLOPs of every operator equal the closed form", compare_flops},
    CountClaim{"streamed bytes by phase and direction equal the closed form", compare_traffic},
    CountClaim{"memory by phase, step and tensor equals the closed form", compare_memory}};

/// The problem with data under every checkpoint policy, kernel, mask and placement.
Check count_policies(const CountClaim& claim, const Problem& problem, Tiling tiling, std::uint64_t seed);
/// Random configurations, shapes alone.
Check count_random(const CountClaim& claim, std::uint64_t seed, std::int64_t cases);

inline constexpr std::string_view performed_claim = "the kernels do the FLOPs that the schedule counts";
/// Random configurations with data.
Check performed_random(std::uint64_t seed, std::int64_t cases);

inline constexpr std::string_view choice_claim = "every token visits k different experts";
/// Random configurations with data.
Check choices_random(std::uint64_t seed, std::int64_t cases);

inline constexpr std::string_view phase_claim = "phase times equal the closed form at the run's row loads";
/// Every checkpoint policy and placement at stream overlap 0 and 1.
Check phase_times(const Problem& problem, Tiling tiling, std::uint64_t seed);

}  // namespace bta::verify
