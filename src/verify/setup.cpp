#include "verify/setup.h"

#include <fmt/format.h>

#include <algorithm>

#include "cost/memory.h"

namespace bta::verify {

std::size_t kind_of(const Problem& problem, std::size_t layer) {
  const auto found = std::ranges::find(problem.layers, problem.model.layers[layer], &ProblemLayer::layer);
  return static_cast<std::size_t>(found - problem.layers.begin());
}

executor::Config executor_config(const Problem& problem, Tiling tiling) {
  const std::vector<std::int64_t> capacities = expert_capacities(problem, micro_batch(tiling).value);
  executor::Config config{problem.model, problem.wafer, problem.workload, tiling, problem.head_chunk, {}};
  for (std::size_t l = 0; l < problem.model.layers.size(); ++l)
    config.expert_capacity.push_back(capacities[kind_of(problem, l)]);
  return config;
}

Problem with_workload(const Problem& problem, const Workload& workload) {
  return make_problem(problem.model, problem.wafer, workload);
}

Problem with_stream_overlap(const Problem& problem, double omega) {
  Problem result = problem;
  result.wafer.stream_overlap = omega;
  return result;
}

std::string describe(const Problem& problem, Tiling tiling) {
  return fmt::format("{} on {}, B {}, G {}", problem.model.name, problem.wafer.name, tiling.tile_batch,
                     tiling.tiles);
}

}  // namespace bta::verify
