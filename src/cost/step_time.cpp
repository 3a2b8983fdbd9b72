#include "cost/step_time.h"

#include <algorithm>

#include "cost/term.h"
#include "cost/traffic.h"

namespace bta {
namespace {

constexpr Passes forward_only{.forward = 1, .gradients = false};
constexpr Passes recompute_and_gradients{.forward = 1, .gradients = true};

double layers(const ProblemLayer& layer, PhaseKind kind) {
  return term("time", phase_name(kind), "layers", as_double(layer.count));
}

PhaseTime phase(const Problem& problem, PhaseKind kind, const ProblemLayer& layer, const Timed& work,
                std::int64_t sequences) {
  const PhaseTraffic traffic = phase_traffic(problem, layer, kind, sequences);
  return {kind,
          layers(layer, kind) *
              with_stream(work, as_double(traffic.in()), as_double(traffic.out()), problem.wafer),
          layer.deepest};
}

/// Checkpoint Y beside the experts' own streams: out in the forward pass, in in the backward pass.
Timed with_checkpoint(Timed experts, Resource channel, double seconds, double omega) {
  experts.busy[channel] += seconds;
  experts.seconds += (1 - omega) * seconds;
  experts.seconds =
      std::max({experts.seconds, experts.busy[Resource::stream_in], experts.busy[Resource::stream_out]});
  return experts;
}

/// The experts' phase of all layers like this one; `experts` is one layer's sum of h and moves.
PhaseTime experts_phase(const Problem& problem, const ProblemLayer& layer, PhaseKind kind,
                        const Timed& experts, std::int64_t sequences) {
  const Wafer& wafer = problem.wafer;
  const PhaseTraffic y = phase_traffic(problem, layer, kind, sequences);
  const bool forward = kind == PhaseKind::experts_forward;
  const double seconds = forward ? as_double(y.checkpoint_out) / wafer.stream_out_bytes_per_s
                                 : as_double(y.checkpoint_in) / wafer.stream_in_bytes_per_s;
  const Resource channel = forward ? Resource::stream_out : Resource::stream_in;
  return {kind,
          layers(layer, kind) *
              with_checkpoint(experts, channel, term("time", phase_name(kind), "checkpoint beside", seconds),
                              term("overlap", "of the checkpoint", "omega", wafer.stream_overlap)),
          layer.deepest};
}

void add_moe_phases(std::vector<PhaseTime>& phases, const Problem& problem, const ProblemLayer& layer,
                    std::int64_t sequences, const LayerLoads& loads) {
  const std::int64_t tokens = product(sequences, problem.workload.seq_len);
  for (const PhaseKind kind : {PhaseKind::router_forward, PhaseKind::router_backward})
    phases.push_back(phase(problem, kind, layer, router_work(problem, layer, kind, tokens), sequences));
  const ForwardBackward experts = expected_expert_time(problem, layer, tokens, loads);
  phases.push_back(experts_phase(problem, layer, PhaseKind::experts_forward, experts.forward, sequences));
  phases.push_back(experts_phase(problem, layer, PhaseKind::experts_backward, experts.backward, sequences));
}

PhaseTime head_phase(const Problem& problem, std::int64_t sequences) {
  const PhaseTraffic traffic = head_traffic(problem);
  return {PhaseKind::head,
          with_stream(head_work(problem, product(sequences, problem.workload.seq_len)),
                      as_double(traffic.in()), as_double(traffic.out()), problem.wafer),
          0};
}

PhaseTime fixed_phase(const Problem& problem) {
  Timed fixed;
  const double both = term("overhead", "layer", "passes", 2.0);
  fixed.seconds = both * as_double(static_cast<std::int64_t>(problem.model.layers.size())) *
                  term("overhead", "layer", "seconds", problem.wafer.layer_overhead_s);
  fixed.busy[Resource::overhead] = fixed.seconds;
  return {PhaseKind::fixed, fixed, 0};
}

}  // namespace

PhaseRule phase_rule(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::attention_forward:
      return {Stage::attention, forward_only};
    case PhaseKind::attention_recompute:
      return {Stage::attention, forward_only};
    case PhaseKind::attention_backward:
      return {Stage::attention, recompute_and_gradients};
    case PhaseKind::router_forward:
      return {Stage::router, forward_only};
    case PhaseKind::router_backward:
      return {Stage::router, recompute_and_gradients};
    case PhaseKind::experts_forward:
      return {Stage::expert, forward_only};
    case PhaseKind::experts_backward:
      return {Stage::expert, recompute_and_gradients};
    case PhaseKind::shared_expert_forward:
      return {Stage::shared_expert, forward_only};
    case PhaseKind::shared_expert_backward:
      return {Stage::shared_expert, recompute_and_gradients};
    case PhaseKind::dense_mlp_forward:
      return {Stage::dense_mlp, forward_only};
    case PhaseKind::dense_mlp_backward:
      return {Stage::dense_mlp, recompute_and_gradients};
    case PhaseKind::head:
      return {Stage::head, recompute_and_gradients};  // its forward and both gradients, once
    case PhaseKind::fixed:
      break;
  }
  return {Stage::head, {.forward = 0, .gradients = false}};
}

TileWork& TileWork::operator+=(const TileWork& other) {
  attention.forward += other.attention.forward;
  attention.backward += other.attention.backward;
  mlp.forward += other.mlp.forward;
  mlp.backward += other.mlp.backward;
  return *this;
}

TileWork operator*(double factor, TileWork work) {
  return {{factor * work.attention.forward, factor * work.attention.backward},
          {factor * work.mlp.forward, factor * work.mlp.backward}};
}

TileWork tile_work(const Problem& problem, const ProblemLayer& layer, double slots) {
  const auto run = [&](Stage stage, Passes passes) {
    return stage_time(layer.operators, stage, slots, passes, problem.wafer, problem.workload);
  };
  TileWork work{{run(Stage::attention, forward_only), run(Stage::attention, recompute_and_gradients)}, {}};
  const double overhead_s = problem.wafer.tile_overhead_s;
  add_overhead(work.attention.forward, term("overhead", "tile", "forward", overhead_s));
  add_overhead(work.attention.backward, term("overhead", "tile", "backward", overhead_s));
  for (const Stage stage : {Stage::dense_mlp, Stage::shared_expert}) {
    work.mlp.forward += run(stage, forward_only);
    work.mlp.backward += run(stage, recompute_and_gradients);
  }
  return work;
}

std::vector<PhaseTime> tile_phases(const Problem& problem, const ProblemLayer& layer,
                                   const TileWork& all_tiles, std::int64_t sequences) {
  std::vector<PhaseTime> phases;
  phases.reserve(5);
  each_tiled_phase(problem, layer, all_tiles, [&](PhaseKind kind, const Timed& work) {
    phases.push_back(phase(problem, kind, layer, work, sequences));
  });
  return phases;
}

Timed router_work(const Problem& problem, const ProblemLayer& layer, PhaseKind kind, std::int64_t tokens) {
  return stage_time(layer.operators, Stage::router,
                    row_slots(tokens, problem.wafer, problem.workload.precision), phase_rule(kind).passes,
                    problem.wafer, problem.workload);
}

Timed head_work(const Problem& problem, std::int64_t tokens) {
  const auto chunk = [&](std::int64_t n) {
    return stage_time(problem.head, Stage::head, row_slots(n, problem.wafer, problem.workload.precision),
                      recompute_and_gradients, problem.wafer, problem.workload);
  };
  const std::int64_t whole = term("head", "chunks", "whole", tokens / problem.head_chunk);
  const std::int64_t rest = term("head", "chunks", "rest", tokens % problem.head_chunk);
  Timed work = as_double(whole) * chunk(problem.head_chunk);
  if (rest > 0) work += chunk(rest);
  return work;
}

std::vector<LayerLoads> expected_loads(const Problem& problem, std::int64_t sequences) {
  const std::int64_t tokens = product(sequences, problem.workload.seq_len);
  std::vector<LayerLoads> loads;
  loads.reserve(problem.layers.size());
  for (const ProblemLayer& layer : problem.layers) loads.push_back(expected_loads(problem, layer, tokens));
  return loads;
}

std::vector<PhaseTime> batch_phases(const Problem& problem, std::int64_t sequences,
                                    const std::vector<LayerLoads>& loads) {
  std::vector<PhaseTime> phases;
  for (std::size_t i = 0; i < problem.layers.size(); ++i)
    if (const ProblemLayer& layer = problem.layers[i]; !layer.experts.empty())
      add_moe_phases(phases, problem, layer, sequences, loads[i]);
  phases.push_back(head_phase(problem, sequences));
  phases.push_back(fixed_phase(problem));
  return phases;
}

std::vector<PhaseTime> batch_phases(const Problem& problem, std::int64_t sequences) {
  return batch_phases(problem, sequences, expected_loads(problem, sequences));
}

double total_seconds(const std::vector<PhaseTime>& phases) {
  double seconds = 0;
  for (const PhaseTime& phase : phases) seconds += phase.timed.seconds;
  return seconds;
}

StepTime step_time(const Problem& problem, Tiling tiling) {
  return step_time(problem, tiling, expected_loads(problem, micro_batch(tiling).value));
}

StepTime step_time(const Problem& problem, Tiling tiling, const std::vector<LayerLoads>& loads) {
  StepTime step;
  const std::int64_t sequences = micro_batch(tiling).value;
  const double slots = row_slots(tile_tokens(tiling, problem.workload.seq_len).value, problem.wafer,
                                 problem.workload.precision);
  for (const ProblemLayer& layer : problem.layers) {
    const TileWork all_tiles =
        term("time", "tiles", "count", as_double(tiling.tiles)) * tile_work(problem, layer, slots);
    std::ranges::move(tile_phases(problem, layer, all_tiles, sequences), std::back_inserter(step.phases));
  }
  const double tiled = total_seconds(step.phases);
  const std::vector<PhaseTime> batch = batch_phases(problem, sequences, loads);
  step.seconds = tiled + total_seconds(batch);
  step.phases.insert(step.phases.end(), batch.begin(), batch.end());
  for (const PhaseTime& phase : step.phases) step.busy += phase.timed.busy;
  return step;
}

double tokens_per_s(const Problem& problem, std::int64_t sequences, double step_s) {
  return as_double(product(problem.workload.wafers, sequences, problem.workload.seq_len)) / step_s;
}

}  // namespace bta
