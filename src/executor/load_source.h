// Tokens per expert, and of the row that holds most of them, for runs whose router has no data.
#pragma once

#include <cstdint>

#include "executor/config.h"
#include "executor/run.h"

namespace bta::executor {

/// Every token picks its k experts by itself: systematic sampling, so that expert e is picked with exactly
/// the probability that the workload's routing gives it (balanced k/E; zipf and measured p_e = min(1, c*z_e),
/// c found by bisection such that they sum to k). Token t lies in row t mod R. The same seed gives the same
/// loads everywhere.
LoadSource sampled_loads(const Config& config, std::uint64_t seed);

/// T*k routed tokens spread unevenly: expert e gets a share that grows with its place, the last ones nothing
/// when others can hold them. Quick at any size: only totals are made, a row holds its even share.
LoadSource ragged_loads(const Config& config);

/// p_e of the workload's routing.
std::vector<double> inclusion_probabilities(const Routing& routing, const MoeMlp& moe);

}  // namespace bta::executor
