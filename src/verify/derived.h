// What the cost model derives before it counts, derived again: the distribution of an expert's slots and its
// buffer from the binomial distribution summed term by term, the head chunk by trying every multiple. For
// small sizes: the sums have as many terms as there are tokens.
#pragma once

#include "cost/problem.h"
#include "verify/check.h"

namespace bta::verify {

inline constexpr std::string_view row_load_claim =
    "row loads and expert buffers equal binomials summed term by term";
/// Under both placements.
Check check_row_loads(const Problem& problem, Tiling tiling);

inline constexpr std::string_view head_chunk_claim =
    "the head chunk is the multiple of R*v nearest to 4096 tokens";
/// Of a problem whose workload does not give one.
Check check_head_chunk(const Problem& problem);

}  // namespace bta::verify
