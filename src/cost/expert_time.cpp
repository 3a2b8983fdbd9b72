#include "cost/expert_time.h"

#include "cost/term.h"
#include "cost/traffic.h"

namespace bta {
namespace {

/// The streams of one expert.
struct ExpertTraffic {
  PhaseTraffic forward, backward;
};
ExpertTraffic expert_traffic(const Problem& problem, const ProblemLayer& layer) {
  return {parameter_traffic(problem, layer.operators, PhaseKind::experts_forward),
          parameter_traffic(problem, layer.operators, PhaseKind::experts_backward)};
}

Timed beside(const Timed& work, const PhaseTraffic& traffic, const Wafer& wafer) {
  return with_stream(work, as_double(traffic.weights_in), as_double(traffic.gradients_out), wafer);
}

ForwardBackward expert_time(const Problem& problem, const ProblemLayer& layer, const ExpertTraffic& traffic,
                            double slots) {
  const ForwardBackward work = expert_work(problem, layer, slots);
  return {beside(work.forward, traffic.forward, problem.wafer),
          beside(work.backward, traffic.backward, problem.wafer)};
}

/// Moving every routed token's activations once through the bisection of the fabric.
double move_s(const Problem& problem, const MoeMlp& moe, std::int64_t tokens) {
  const double bytes =
      as_double(product(tokens, moe.top_k, problem.model.hidden, problem.workload.bytes.activation));
  const double seconds = bytes / (4 * as_double(problem.wafer.columns) * problem.wafer.link_bytes_per_cycle) /
                         problem.wafer.clock_hz;
  return term("moves", "all routed tokens", "seconds", seconds);
}

void add_moves(Timed& timed, std::string_view pass, double dispatches, double combines, double seconds) {
  dispatches = term("moves", pass, "dispatches", dispatches);
  combines = term("moves", pass, "combines", combines);
  timed.seconds += (dispatches + combines) * seconds;
  timed.busy[Resource::broadcast] += dispatches * seconds;
  timed.busy[Resource::reduce] += combines * seconds;
}

}  // namespace

ForwardBackward expert_work(const Problem& problem, const ProblemLayer& layer, double slots) {
  const auto run = [&](Passes passes) {
    if (slots == 0) return Timed{};
    return stage_time(layer.operators, Stage::expert, slots, passes, problem.wafer, problem.workload);
  };
  ForwardBackward work{run({.forward = 1, .gradients = false}), run({.forward = 0, .gradients = true})};
  work.backward += work.forward;
  const double overhead_s = problem.wafer.expert_overhead_s;
  add_overhead(work.forward, term("overhead", "expert", "forward", overhead_s));
  add_overhead(work.backward, term("overhead", "expert", "backward", overhead_s));
  return work;
}

ForwardBackward expert_time(const Problem& problem, const ProblemLayer& layer, double slots) {
  return expert_time(problem, layer, expert_traffic(problem, layer), slots);
}

ForwardBackward expert_moves(const Problem& problem, const ProblemLayer& layer, std::int64_t tokens) {
  ForwardBackward moves;
  if (problem.workload.placement != Placement::compacted) return moves;
  const double move = move_s(problem, std::get<MoeMlp>(layer.layer.feed_forward), tokens);
  add_moves(moves.forward, "forward", 1, 1, move);
  add_moves(moves.backward, "backward", 2, 1, move);
  return moves;
}

LayerLoads expected_loads(const Problem& problem, const ProblemLayer& layer, std::int64_t tokens) {
  LayerLoads loads;
  loads.reserve(layer.experts.size());
  for (const ExpertGroup& group : layer.experts)
    loads.push_back({as_double(group.experts),
                     slot_distribution(tokens, group.probability, problem.wafer, problem.workload)});
  return loads;
}

ForwardBackward expected_expert_time(const Problem& problem, const ProblemLayer& layer, std::int64_t tokens,
                                     const LayerLoads& loads) {
  const ExpertTraffic traffic = expert_traffic(problem, layer);
  ForwardBackward expected;
  for (const LoadGroup& group : loads)
    for (const auto& [slots, probability] : group.slots) {
      const ForwardBackward h = expert_time(problem, layer, traffic, slots);
      const double weight = term("experts", "group", "experts", group.experts) * probability;
      expected.forward += weight * h.forward;
      expected.backward += weight * h.backward;
    }
  const ForwardBackward moves = expert_moves(problem, layer, tokens);
  expected.forward += moves.forward;
  expected.backward += moves.backward;
  return expected;
}

}  // namespace bta
