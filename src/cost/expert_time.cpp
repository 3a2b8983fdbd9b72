#include "cost/expert_time.h"

#include "cost/row_load.h"

namespace bta {
namespace {

/// On-wafer work of one expert and its overhead against its stream.
Timed with_expert_stream(const Problem& problem, Timed work, double in_bytes, double out_bytes) {
  work.seconds += problem.wafer.expert_overhead_s;
  work.busy[Resource::overhead] += problem.wafer.expert_overhead_s;
  return with_stream(work, in_bytes, out_bytes, problem.wafer);
}

/// Moving every routed token's activations once through the bisection of the fabric.
double move_s(const Problem& problem, const MoeMlp& moe, std::int64_t tokens) {
  const double bytes =
      as_double(product(tokens, moe.top_k, problem.model.hidden, problem.workload.bytes.activation));
  return bytes / (4 * as_double(problem.wafer.columns) * problem.wafer.link_bytes_per_cycle) /
         problem.wafer.clock_hz;
}

void add_moves(Timed& timed, double dispatches, double combines, double seconds) {
  timed.seconds += (dispatches + combines) * seconds;
  timed.busy[Resource::broadcast] += dispatches * seconds;
  timed.busy[Resource::reduce] += combines * seconds;
}

}  // namespace

ForwardBackward expert_time(const Problem& problem, const ProblemLayer& layer, double slots) {
  const auto run = [&](Passes passes) {
    if (slots == 0) return Timed{};
    return stage_time(layer.operators, Stage::expert, slots, passes, problem.wafer, problem.workload);
  };
  const Timed forward = run({.forward = 1, .gradients = false});
  Timed backward = run({.forward = 0, .gradients = true});
  backward += forward;
  const double weights = as_double(stage_parameters(layer.operators, Stage::expert));
  const double in_bytes = weights * as_double(problem.workload.bytes.weight);
  const double out_bytes = weights * as_double(problem.workload.bytes.gradient);
  return {with_expert_stream(problem, forward, in_bytes, 0),
          with_expert_stream(problem, backward, in_bytes, out_bytes)};
}

ForwardBackward expected_expert_time(const Problem& problem, const ProblemLayer& layer, std::int64_t tokens) {
  ForwardBackward expected;
  for (const ExpertGroup& group : layer.experts)
    for (const auto& [slots, probability] :
         slot_distribution(tokens, group.probability, problem.wafer, problem.workload)) {
      const ForwardBackward h = expert_time(problem, layer, slots);
      const double weight = as_double(group.experts) * probability;
      expected.forward += weight * h.forward;
      expected.backward += weight * h.backward;
    }
  if (problem.workload.placement == Placement::compacted) {
    const double move = move_s(problem, std::get<MoeMlp>(layer.layer.feed_forward), tokens);
    add_moves(expected.forward, 1, 1, move);
    add_moves(expected.backward, 2, 1, move);
  }
  return expected;
}

}  // namespace bta
