#include "verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "verify/count_checks.h"
#include "verify/derived.h"
#include "verify/full_size.h"
#include "verify/numbers.h"
#include "verify/scale.h"
#include "verify/setup.h"
#include "verify/timing.h"

namespace bta::verify {
namespace {

constexpr std::int64_t scaled_tile = 3;
constexpr std::int64_t most_sequences_with_data = 96;
constexpr std::int64_t most_cases_with_data = 100;
constexpr std::int64_t sequences_to_differentiate = 2;
constexpr std::int64_t more_tiles_for_time = 4;  // enough tokens to fill several vectors a row

/// What the tasks of one request share.
struct Suite {
  Request request;
  Problem small;
  Tiling tiling;  // of the small problem
};
using SharedSuite = std::shared_ptr<const Suite>;
using Tasks = std::vector<Task>;

SharedSuite suite_of(const Request& request) {
  const Tiling chosen{scaled_tile, scaled_micro_batch / scaled_tile};
  const bool small = !request.shape_only;
  return std::make_shared<const Suite>(
      Suite{request, scaled_problem(request.problem), small ? request.tiling.value_or(chosen) : chosen});
}

/// Is there an expert that some tokens do not visit?
bool chooses(const Problem& problem) {
  const MoeMlp* moe = moe_of(problem.model);
  return moe != nullptr && moe->top_k < moe->experts;
}

void add(Tasks& tasks, std::string_view claim, std::function<Check()> run) {
  tasks.push_back({std::string(claim), std::move(run)});
}

void add_counts(Tasks& tasks, const SharedSuite& s) {
  const std::int64_t cases = s->request.random_cases;
  if (cases > 0) {
    for (const CountClaim& claim : count_claims)
      add(tasks, claim.claim, [s, &claim, cases] { return count_random(claim, s->request.seed, cases); });
    const std::int64_t few = std::min(most_cases_with_data, cases);
    add(tasks, performed_claim, [s, few] { return performed_random(s->request.seed, few); });
    add(tasks, choice_claim, [s, few] { return choices_random(s->request.seed, few); });
  }
  for (const CountClaim& claim : count_claims)
    add(tasks, claim.claim,
        [s, &claim] { return count_policies(claim, s->small, s->tiling, s->request.seed); });
}

void add_times(Tasks& tasks, const SharedSuite& s) {
  add(tasks, operator_claim, [s] { return check_operator_times(s->small); });
  add(tasks, operator_claim, [s] { return check_operator_times(s->request.problem); });
  add(tasks, phase_claim, [s] { return phase_times(s->small, s->tiling, s->request.seed); });
  if (!s->request.problem.workload.head_chunk)
    add(tasks, head_chunk_claim, [s] { return check_head_chunk(s->request.problem); });
  if (chooses(s->small)) add(tasks, row_load_claim, [s] { return check_row_loads(s->small, s->tiling); });
}

/// Runs with data.
void add_numbers(Tasks& tasks, const SharedSuite& s) {
  const Sample sample{s->small, micro_batch(s->tiling).value, s->request.seed};
  const Sample few{s->small, sequences_to_differentiate, s->request.seed};
  const Tiling by_one{1, sequences_to_differentiate};
  add(tasks, "tiled equals untiled bit for bit, in double",
      [s, sample] { return check_tilings_double(sample); });
  add(tasks, "tiled equals untiled bit for bit, in float",
      [s, sample] { return check_tilings_float(sample); });
  add(tasks, order_claim, [s, sample] { return check_order(sample); });
  add(tasks, plain_claim, [s, few, by_one] { return check_plain(few, by_one); });
  add(tasks, difference_claim, [s, few, by_one] { return check_finite_differences(few, by_one); });
}

/// Balanced, skewed, and the one that was measured.
std::vector<Routing> routings_to_compare(const Workload& workload) {
  std::vector<Routing> routings{BalancedRouting{}, ZipfRouting{1}};
  if (std::holds_alternative<MeasuredRouting>(workload.routing)) routings.push_back(workload.routing);
  return routings;
}

/// The mean of many runs under both placements and these routings.
void add_mean_times(Tasks& tasks, const SharedSuite& s) {
  if (!chooses(s->small)) return;
  const Tiling tiling{s->tiling.tile_batch, checked_mul(s->tiling.tiles, more_tiles_for_time)};
  Workload workload = s->small.workload;
  for (const Placement placement : {Placement::masked, Placement::compacted})
    for (const Routing& routing : routings_to_compare(s->small.workload)) {
      workload.placement = placement;
      workload.routing = routing;
      add(tasks, mean_claim, [s, tiling, problem = with_workload(s->small, workload)] {
        return check_mean_time(problem, tiling, s->request.seed);
      });
    }
}

void add_full_size(Tasks& tasks, const SharedSuite& s) {
  const Request& request = s->request;
  const bool asked = request.shape_only && request.tiling;
  const auto points =
      asked ? std::vector<FullSizePoint>{{*request.tiling, "as asked"}} : full_size_points(request.problem);
  if (asked) refuse_endless_runs(request.problem, *request.tiling);
  if (request.shape_only && points.empty()) refuse_endless_runs(request.problem, {1, 1});
  for (const FullSizePoint& point : points) {
    const auto run = std::make_shared<FullSizeRun>(request.problem, point);
    add(tasks, full_size_claim, [run] { return run->counts(); });
    add(tasks, full_size_time_claim, [run] { return run->times(); });
  }
}

/// Which experts a measured routing was resampled to; empty when it was not.
std::string routing_note(const Request& request) {
  const auto* measured = std::get_if<MeasuredRouting>(&request.problem.workload.routing);
  const Model small = scaled_model(request.problem.model);
  const MoeMlp* moe = moe_of(small);
  if (measured == nullptr || moe == nullptr || request.shape_only) return "";
  return fmt::format(
      "routing {}: the scaled model's {} experts get the profile of the {} measured ones by quantiles",
      measured->name, moe->experts, measured->tokens_per_expert.size());
}

/// How the model was scaled, and what could not be compared.
std::vector<std::string> notes_of(const Request& request, const std::vector<Check>& checks) {
  std::vector<std::string> notes;
  const auto has = [&](std::string_view claim) {
    return std::ranges::find(checks, claim, &Check::claim) != checks.end();
  };
  if (!request.shape_only) notes.push_back(scale_note(request.problem));
  if (std::string routing = routing_note(request); !routing.empty()) notes.push_back(std::move(routing));
  if (!request.shape_only && !has(mean_claim))
    notes.emplace_back(
        "no expert to choose: every token goes the same way, so row loads and mean times are not compared");
  if (!has(full_size_claim))
    notes.emplace_back("too many experts to walk through at full size: only the scaled model is run");
  return notes;
}

}  // namespace

bool Verification::passed() const {
  return !checks.empty() && std::ranges::all_of(checks, &Check::passed);
}

std::vector<Task> tasks(const Request& request) {
  if (request.problem.workload.mask == Mask::half)
    throw std::invalid_argument(
        "mask half exists only to compare FLOPs with other tools: nothing runs S^2/2 pairs");
  if (!request.shape_only && request.tiling && micro_batch(*request.tiling).value > most_sequences_with_data)
    throw std::invalid_argument(fmt::format(
        "B*G = {} sequences; the scaled run, with data, takes at most {} (the full size: --shape-only)",
        micro_batch(*request.tiling).value, most_sequences_with_data));
  const SharedSuite suite = suite_of(request);
  Tasks result;
  if (!request.shape_only) {
    add_times(result, suite);
    add_counts(result, suite);
    if (request.results) add_numbers(result, suite);
    add_mean_times(result, suite);
  }
  add_full_size(result, suite);
  return result;
}

Verification verify(const Request& request, const Progress& progress) {
  Verification result;
  const std::vector<Task> all = tasks(request);
  for (const Task& task : all) {
    if (progress) progress(task.claim, result.checks.size(), all.size());
    result.checks.push_back(task.run());
  }
  result.notes = notes_of(request, result.checks);
  return result;
}

}  // namespace bta::verify
