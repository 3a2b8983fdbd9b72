// From a problem to a run of the executor: the capacities and the head chunk that the cost model derives are
// given to the executor, which allocates exactly those.
#pragma once

#include "cost/problem.h"
#include "executor/config.h"

namespace bta::verify {

executor::Config executor_config(const Problem& problem, Tiling tiling);

/// Index into problem.layers of the kind that a layer of the model is.
std::size_t kind_of(const Problem& problem, std::size_t layer);

/// The same problem with one part of the workload or wafer changed, derived anew.
Problem with_workload(const Problem& problem, const Workload& workload);
Problem with_stream_overlap(const Problem& problem, double omega);

/// "qwen3-30b-a3b, B 2, G 3, checkpoint XY, masked"
std::string describe(const Problem& problem, Tiling tiling);

}  // namespace bta::verify
