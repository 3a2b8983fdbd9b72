#include "verify/count_checks.h"

#include <fmt/format.h>

#include "executor/load_source.h"
#include "verify/random_case.h"
#include "verify/setup.h"
#include "verify/timing.h"

namespace bta::verify {
namespace {

/// The scaled problem under every policy, kernel, mask and placement.
std::vector<Problem> policies(const Problem& problem) {
  std::vector<Problem> result;
  Workload workload = problem.workload;
  for (const Checkpoint checkpoint : {Checkpoint::XY, Checkpoint::X, Checkpoint::wafer})
    for (const AttentionKernel kernel : {AttentionKernel::materialized, AttentionKernel::blocked})
      for (const Mask mask : {Mask::full, Mask::causal}) {
        workload.checkpoint = checkpoint;
        workload.kernel = kernel;
        workload.mask = mask;
        result.push_back(with_workload(problem, workload));
      }
  return result;
}

/// Neighbouring seeds share no case.
std::uint64_t case_seed(std::uint64_t seed, std::int64_t i) {
  return seed * 1'000'003 + static_cast<std::uint64_t>(i);
}

std::string cases_with_data(std::int64_t cases) {
  return fmt::format("{} random configuration{}, with data", cases, cases == 1 ? "" : "s");
}

executor::StepResult<double> with_data(const RandomCase& random, std::int64_t seed) {
  const executor::Config& config = random.config;
  const auto own_seed = static_cast<std::uint64_t>(seed);
  const auto weights = executor::random_weights(config.model, own_seed);
  const auto batch = executor::random_batch(config.model, micro_batch(config.tiling).value,
                                            config.workload.seq_len, own_seed);
  return executor::execute<double>(config, weights, batch);
}

}  // namespace

Check count_policies(const CountClaim& claim, const Problem& problem, Tiling tiling, std::uint64_t seed) {
  Comparison comparison(std::string(claim.claim),
                        fmt::format("{}, every policy, kernel and mask", describe(problem, tiling)),
                        Measure::exact, 0);
  const auto weights = executor::random_weights(problem.model, seed);
  for (const Problem& policy : policies(problem)) {
    const executor::Config config = executor_config(policy, tiling);
    const auto batch =
        executor::random_batch(policy.model, micro_batch(tiling).value, policy.workload.seq_len, seed);
    const executor::Measured measured = executor::execute<double>(config, weights, batch).measured;
    claim.compare(comparison, {policy, config, measured});
  }
  return std::move(comparison).result();
}

Check count_random(const CountClaim& claim, std::uint64_t seed, std::int64_t cases) {
  Comparison comparison(std::string(claim.claim),
                        fmt::format("{} random configuration{}", cases, cases == 1 ? "" : "s"),
                        Measure::exact, 0);
  for (std::int64_t i = 0; i < cases; ++i) {
    const RandomCase random = random_case(case_seed(seed, i));
    const executor::Measured measured = executor::execute_shapes(random.config, random.loads);
    claim.compare(comparison, {random.problem, random.config, measured});
  }
  return std::move(comparison).result();
}

Check performed_random(std::uint64_t seed, std::int64_t cases) {
  Comparison comparison(std::string(performed_claim), cases_with_data(cases), Measure::exact, 0);
  for (std::int64_t i = 0; i < cases; ++i) {
    const RandomCase random = random_case(case_seed(seed, i));
    compare_performed(comparison, {random.problem, random.config, with_data(random, i).measured});
  }
  return std::move(comparison).result();
}

Check choices_random(std::uint64_t seed, std::int64_t cases) {
  Comparison comparison(std::string(choice_claim), cases_with_data(cases), Measure::exact, 0);
  for (std::int64_t i = 0; i < cases; ++i) {
    const RandomCase random = random_case(case_seed(seed, i));
    const executor::StepResult<double> step = with_data(random, i);
    compare_choices(comparison, {random.problem, random.config, step.measured}, step.choices);
  }
  return std::move(comparison).result();
}

Check phase_times(const Problem& full, Tiling tiling, std::uint64_t seed) {
  const Problem problem = one_of_each(full);
  Comparison comparison(std::string(phase_claim), describe(problem, tiling), Measure::relative,
                        time_tolerance);
  Workload workload = problem.workload;
  for (const Checkpoint checkpoint : {Checkpoint::XY, Checkpoint::X, Checkpoint::wafer})
    for (const Placement placement : {Placement::masked, Placement::compacted}) {
      workload.checkpoint = checkpoint;
      workload.placement = placement;
      const Problem policy = with_workload(problem, workload);
      const executor::Config config = executor_config(policy, tiling);
      compare_phase_times(comparison, policy, tiling,
                          executor::execute_shapes(config, executor::sampled_loads(config, seed)));
    }
  return std::move(comparison).result();
}

}  // namespace bta::verify
