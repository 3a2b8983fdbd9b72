#include "plan/explain.h"

#include <algorithm>
#include <cmath>

#include "cost/row_load.h"
#include "cost/traffic.h"
#include "plan/infeasible.h"
#include "plan/plan.h"

namespace bta {
namespace {

constexpr double unreachable_tokens = 1e12;  // a ridge beyond it counts as never reached
constexpr double any_tokens = 1e-6;          // one below it as reached by any token

std::int64_t experts_of(const ProblemLayer& layer, Stage stage) {
  return stage == Stage::expert ? std::get<MoeMlp>(layer.layer.feed_forward).experts : 1;
}

/// Expected time of one operator of the routed experts, one layer.
Timed routed_operator_time(const Problem& problem, const ProblemLayer& layer, const Operator& op,
                           Passes passes, std::int64_t tokens) {
  Timed expected;
  for (const ExpertGroup& group : layer.experts)
    for (const auto& [slots, probability] :
         slot_distribution(tokens, group.probability, problem.wafer, problem.workload))
      if (slots > 0)
        expected += as_double(group.experts) * probability *
                    operator_time(op, slots, passes, problem.wafer, problem.workload);
  return expected;
}

/// On-wafer time of one operator in one layer: tiled stages G times, the others on the whole micro-batch.
Timed on_wafer_time(const Problem& problem, const ProblemLayer& layer, const Operator& op, Passes passes,
                    Tiling tiling) {
  const Workload& workload = problem.workload;
  const std::int64_t tokens = micro_batch_tokens(tiling, workload.seq_len).value;
  const auto at = [&](std::int64_t n) {
    return operator_time(op, row_slots(n, problem.wafer, workload.precision), passes, problem.wafer,
                         workload);
  };
  if (op.stage == Stage::expert) return routed_operator_time(problem, layer, op, passes, tokens);
  if (op.stage == Stage::router) return at(tokens);
  return as_double(tiling.tiles) * at(tile_tokens(tiling, workload.seq_len).value);
}

Timed head_time(const Problem& problem, const Operator& op, Passes passes, std::int64_t tokens) {
  const auto at = [&](std::int64_t n) {
    return operator_time(op, row_slots(n, problem.wafer, problem.workload.precision), passes, problem.wafer,
                         problem.workload);
  };
  Timed time = as_double(tokens / problem.head_chunk) * at(problem.head_chunk);
  if (tokens % problem.head_chunk > 0) time += at(tokens % problem.head_chunk);
  return time;
}

OperatorCost operator_cost(const Problem& problem, const Operator& op, PhaseKind phase, Flops forward,
                           std::int64_t copies, const Timed& on_wafer) {
  const Passes passes = phase_rule(phase).passes;
  OperatorCost cost{op.name,
                    phase_name(phase),
                    flop_class(op),
                    executed_flops(op, forward, passes),
                    {},
                    {},
                    {},
                    on_wafer.busy,
                    {},
                    0};
  const std::int64_t parameters = product(op.parameters, copies);
  cost.bytes_in = Bytes(product(parameters, problem.workload.bytes.weight));
  if (passes.gradients) cost.bytes_out = Bytes(product(parameters, problem.workload.bytes.gradient));
  if (const Bytes streamed = cost.bytes_in + cost.bytes_out; streamed.value > 0)
    cost.intensity = as_double(cost.flops) / as_double(streamed);
  cost.busy[Resource::stream_in] = as_double(cost.bytes_in) / problem.wafer.stream_in_bytes_per_s;
  cost.busy[Resource::stream_out] = as_double(cost.bytes_out) / problem.wafer.stream_out_bytes_per_s;
  if (cost.flop_class != FlopClass::vector) cost.bound = binding(cost.busy);
  return cost;
}

void add_layer_operators(std::vector<OperatorCost>& costs, const Problem& problem, const ProblemLayer& layer,
                         Tiling tiling) {
  for (const Operator& op : layer.operators)
    for (const PhaseKind phase : phases_of(op.stage, problem.workload.checkpoint)) {
      const Flops forward = layer.count * forward_flops(problem, &layer, op, micro_batch(tiling).value);
      const Timed time =
          as_double(layer.count) * on_wafer_time(problem, layer, op, phase_rule(phase).passes, tiling);
      costs.push_back(operator_cost(problem, op, phase, forward,
                                    product(layer.count, experts_of(layer, op.stage)), time));
      costs.back().deepest = layer.deepest;
    }
}

std::vector<OperatorCost> operator_costs(const Problem& problem, Tiling tiling) {
  const std::int64_t sequences = micro_batch(tiling).value;
  std::vector<OperatorCost> costs;
  for (const ProblemLayer& layer : problem.layers) add_layer_operators(costs, problem, layer, tiling);
  for (const Operator& op : problem.head) {
    const Timed time = head_time(problem, op, phase_rule(PhaseKind::head).passes,
                                 micro_batch_tokens(tiling, problem.workload.seq_len).value);
    costs.push_back(
        operator_cost(problem, op, PhaseKind::head, forward_flops(problem, nullptr, op, sequences), 1, time));
  }
  return costs;
}

const ProblemLayer* moe_layer(const Problem& problem) {
  const auto found =
      std::ranges::find_if(problem.layers, [](const auto& layer) { return !layer.experts.empty(); });
  return found == problem.layers.end() ? nullptr : &*found;
}

RowFill row_fill(const Problem& problem, const ProblemLayer& layer, Tiling tiling) {
  const auto& moe = std::get<MoeMlp>(layer.layer.feed_forward);
  const std::int64_t tokens = micro_batch_tokens(tiling, problem.workload.seq_len).value;
  const std::int64_t routed = product(tokens, moe.top_k), a = problem.workload.bytes.activation;
  RowFill fill;
  fill.tokens_per_expert = as_double(routed) / as_double(moe.experts);
  fill.mean_row_load = fill.tokens_per_expert / as_double(problem.wafer.rows);
  std::vector<double> probabilities;
  for (const ExpertGroup& group : layer.experts) {
    const double share = as_double(group.experts) / as_double(moe.experts);
    fill.expected_slots +=
        share * mean_slots(slot_distribution(tokens, group.probability, problem.wafer, problem.workload));
    probabilities.insert(probabilities.end(), static_cast<std::size_t>(group.experts), group.probability);
  }
  fill.compute_density = fill.mean_row_load / fill.expected_slots;
  fill.experts_touched = experts_touched(probabilities, tokens);
  fill.expert_capacity = expert_capacities(
      problem, micro_batch(tiling).value)[static_cast<std::size_t>(&layer - problem.layers.data())];
  fill.routed_inputs = Bytes(product(routed, problem.model.hidden, a));
  fill.gate_and_up = Bytes(product(routed, moe.gated ? 2 : 1, moe.width, a));
  return fill;
}

/// Smallest whole n in [1, high] with holds(n), monotone.
template <class Predicate>
std::optional<std::int64_t> first_that(std::int64_t high, Predicate holds) {
  if (!holds(high)) return std::nullopt;
  std::int64_t low = 0;  // fails or is 0
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

/// Smallest x in (0, high] with holds(x), to 1e-9 of it, monotone; 0 when it is below `any_tokens`.
template <class Predicate>
std::optional<double> threshold_of(double high, Predicate holds) {
  if (!holds(high)) return std::nullopt;
  if (holds(any_tokens)) return 0;
  double low = 0;
  while (high - low > 1e-9 * high) {
    const double middle = low + (high - low) / 2;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

Ridge ridge(const Problem& problem, const ProblemLayer& layer, PhaseKind phase, double tokens_per_expert) {
  const auto& moe = std::get<MoeMlp>(layer.layer.feed_forward);
  const Passes passes = phase_rule(phase).passes;
  const PhaseTraffic traffic = parameter_traffic(problem, layer.operators, phase);
  const double stream = std::max(as_double(traffic.weights_in) / problem.wafer.stream_in_bytes_per_s,
                                 as_double(traffic.gradients_out) / problem.wafer.stream_out_bytes_per_s);
  const auto on_wafer = [&](double slots) {
    return slots > 0
               ? stage_time(layer.operators, Stage::expert, slots, passes, problem.wafer, problem.workload)
                     .seconds
               : 0;
  };
  const auto filled =
      [&](std::int64_t batch) {  // mean over the experts of E[on-wafer] of a batch of that many tokens
        double seconds = 0;
        for (const ExpertGroup& group : layer.experts)
          for (const auto& [slots, probability] :
               slot_distribution(batch, group.probability, problem.wafer, problem.workload))
            seconds += as_double(group.experts) / as_double(moe.experts) * probability * on_wafer(slots);
        return seconds;
      };
  Ridge result{passes.gradients ? "backward" : "forward", {}, {}, {}};
  result.even_tokens_per_expert = threshold_of(unreachable_tokens, [&](double tokens) {
    return on_wafer(tokens / as_double(problem.wafer.rows)) >= stream;
  });
  if (!result.even_tokens_per_expert) return result;
  // Padded and uneven rows are never faster, so the ridge is at most one token of the batch beyond the even
  // one.
  const double tokens_of_batch = as_double(moe.top_k) / as_double(moe.experts);
  const auto batch =
      first_that(static_cast<std::int64_t>(*result.even_tokens_per_expert / tokens_of_batch) + 2,
                 [&](std::int64_t tokens) { return filled(tokens) >= stream; });
  if (!batch) return result;
  result.filled_tokens_per_expert = as_double(*batch) * tokens_of_batch;
  result.distance = tokens_per_expert / *result.filled_tokens_per_expert;
  return result;
}

/// The most weights that are on the wafer at once: one stage of one layer, or two experts.
Bytes resident_weights(const Problem& problem) {
  std::int64_t parameters = stage_parameters(problem.head, Stage::head);
  for (const ProblemLayer& layer : problem.layers) {
    for (const Stage stage : {Stage::attention, Stage::router, Stage::shared_expert, Stage::dense_mlp})
      parameters = std::max(parameters, stage_parameters(layer.operators, stage));
    parameters = std::max(parameters, 2 * stage_parameters(layer.operators, Stage::expert));
  }
  return Bytes(product(parameters, problem.workload.bytes.weight));
}

struct Streamed {
  Bytes in, out;
};
/// Weights and checkpoints in, gradients and checkpoints out, of one step of one wafer.
Streamed streamed(const Problem& problem, std::int64_t sequences) {
  const PhaseTraffic head = head_traffic(problem);
  Streamed total{head.in(), head.out()};
  for (const ProblemLayer& layer : problem.layers)
    for (const PhaseTraffic& phase : layer_traffic(problem, layer, sequences)) {
      total.in += layer.count * phase.in();
      total.out += layer.count * phase.out();
    }
  return total;
}

}  // namespace

Explanation explain(const Problem& problem, const Constraints& constraints, Tiling tiling) {
  const std::int64_t sequences = micro_batch(tiling).value;
  Explanation e;
  e.problem = problem;
  e.constraints = constraints;
  e.tiling = tiling;
  e.parameters = count_parameters(problem.model);
  e.flops = count_flops(problem, sequences);
  e.step = step_time(problem, tiling);
  const Candidate point = evaluate(problem, tiling, constraints);
  e.tokens_per_s = point.tokens_per_s;
  e.utilization = utilization(problem, as_double(e.flops.hardware), e.step.seconds);
  e.peak = peak_memory(problem, tiling);
  e.memory_limit = memory_limit(problem.wafer);
  e.step_bound = resource_name(binding(e.step.busy));
  e.bound = plan_bound(problem, constraints, point);
  e.reason = why_infeasible(problem, constraints, tiling);
  e.feasible = e.reason.empty();
  e.operators = operator_costs(problem, tiling);
  e.resident_weights = resident_weights(problem);
  const Streamed total = streamed(problem, sequences);
  e.streamed_in = total.in;
  e.streamed_out = total.out;
  if (const ProblemLayer* layer = moe_layer(problem)) {
    e.row_fill = row_fill(problem, *layer, tiling);
    for (const PhaseKind phase : {PhaseKind::experts_forward, PhaseKind::experts_backward})
      e.ridges.push_back(ridge(problem, *layer, phase, e.row_fill->tokens_per_expert));
  }
  return e;
}

}  // namespace bta
