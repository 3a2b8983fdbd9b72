#include "cost/step_time.h"

#include <algorithm>

namespace bta {
namespace {

constexpr Passes forward_only{.forward = 1, .gradients = false};
constexpr Passes recompute_and_gradients{.forward = 1, .gradients = true};

bool streams_checkpoints(const Problem& problem) {
  return problem.workload.checkpoint != Checkpoint::wafer;
}

/// Bytes of one checkpointed activation X or Y of the whole micro-batch; 0 when it stays on the wafer.
double checkpoint_bytes(const Problem& problem, std::int64_t sequences, bool kept) {
  return kept && streams_checkpoints(problem) ? as_double(activation_bytes(problem, sequences)) : 0;
}

struct Streamed {
  double weights_in = 0;
  double gradients_out = 0;
};
Streamed stage_stream(const Problem& problem, const std::vector<Operator>& ops, Stage stage) {
  const double parameters = as_double(stage_parameters(ops, stage));
  return {parameters * as_double(problem.workload.bytes.weight),
          parameters * as_double(problem.workload.bytes.gradient)};
}

PhaseTime phase(const Problem& problem, PhaseKind kind, const ProblemLayer& layer, const Timed& work,
                double checkpoint) {
  const PhaseRule rule = phase_rule(kind);
  const Streamed stream = stage_stream(problem, layer.operators, rule.stage);
  const bool backward = rule.passes.gradients || kind == PhaseKind::attention_recompute;
  const double in = stream.weights_in + (backward ? checkpoint : 0);
  const double out = (rule.passes.gradients ? stream.gradients_out : 0) + (backward ? 0 : checkpoint);
  return {kind, as_double(layer.count) * with_stream(work, in, out, problem.wafer)};
}

/// Checkpoint Y beside the experts' own streams: out in the forward pass, in in the backward pass.
Timed with_checkpoint(Timed experts, Resource channel, double seconds, double omega) {
  experts.busy[channel] += seconds;
  experts.seconds += (1 - omega) * seconds;
  experts.seconds =
      std::max({experts.seconds, experts.busy[Resource::stream_in], experts.busy[Resource::stream_out]});
  return experts;
}

void add_moe_phases(std::vector<PhaseTime>& phases, const Problem& problem, const ProblemLayer& layer,
                    std::int64_t sequences) {
  const Wafer& wafer = problem.wafer;
  const std::int64_t tokens = product(sequences, problem.workload.seq_len);
  const double slots = row_slots(tokens, wafer, problem.workload.precision), layers = as_double(layer.count);
  for (const PhaseKind kind : {PhaseKind::router_forward, PhaseKind::router_backward}) {
    const Timed work =
        stage_time(layer.operators, Stage::router, slots, phase_rule(kind).passes, wafer, problem.workload);
    phases.push_back(phase(problem, kind, layer, work, 0));
  }
  const double y = checkpoint_bytes(problem, sequences, problem.workload.checkpoint == Checkpoint::XY);
  const ForwardBackward experts = expected_expert_time(problem, layer, tokens);
  phases.push_back({PhaseKind::experts_forward,
                    layers * with_checkpoint(experts.forward, Resource::stream_out,
                                             y / wafer.stream_out_bytes_per_s, wafer.stream_overlap)});
  phases.push_back({PhaseKind::experts_backward,
                    layers * with_checkpoint(experts.backward, Resource::stream_in,
                                             y / wafer.stream_in_bytes_per_s, wafer.stream_overlap)});
}

PhaseTime head_phase(const Problem& problem, std::int64_t sequences) {
  const std::int64_t tokens = product(sequences, problem.workload.seq_len);
  const auto chunk = [&](std::int64_t n) {
    return stage_time(problem.head, Stage::head, row_slots(n, problem.wafer, problem.workload.precision),
                      recompute_and_gradients, problem.wafer, problem.workload);
  };
  Timed work = as_double(tokens / problem.head_chunk) * chunk(problem.head_chunk);
  if (const std::int64_t rest = tokens % problem.head_chunk; rest > 0) work += chunk(rest);
  const Streamed stream = stage_stream(problem, problem.head, Stage::head);
  return {PhaseKind::head, with_stream(work, stream.weights_in, stream.gradients_out, problem.wafer)};
}

PhaseTime fixed_phase(const Problem& problem) {
  Timed fixed;
  fixed.seconds =
      2 * as_double(static_cast<std::int64_t>(problem.model.layers.size())) * problem.wafer.layer_overhead_s;
  fixed.busy[Resource::overhead] = fixed.seconds;
  return {PhaseKind::fixed, fixed};
}

void add_overhead(Timed& timed, double seconds) {
  timed.seconds += seconds;
  timed.busy[Resource::overhead] += seconds;
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
  add_overhead(work.attention.forward, problem.wafer.tile_overhead_s);
  add_overhead(work.attention.backward, problem.wafer.tile_overhead_s);
  for (const Stage stage : {Stage::dense_mlp, Stage::shared_expert}) {
    work.mlp.forward += run(stage, forward_only);
    work.mlp.backward += run(stage, recompute_and_gradients);
  }
  return work;
}

std::vector<PhaseTime> tile_phases(const Problem& problem, const ProblemLayer& layer,
                                   const TileWork& all_tiles, std::int64_t sequences) {
  using enum PhaseKind;
  const double x = checkpoint_bytes(problem, sequences, true);
  const double y = checkpoint_bytes(problem, sequences, problem.workload.checkpoint == Checkpoint::XY);
  std::vector<PhaseTime> phases;
  phases.reserve(5);
  phases.push_back(phase(problem, attention_forward, layer, all_tiles.attention.forward, x));
  if (std::holds_alternative<DenseMlp>(layer.layer.feed_forward)) {
    phases.push_back(phase(problem, dense_mlp_forward, layer, all_tiles.mlp.forward, y));
    phases.push_back(phase(problem, dense_mlp_backward, layer, all_tiles.mlp.backward, y));
  } else if (stage_parameters(layer.operators, Stage::shared_expert) > 0) {
    phases.push_back(phase(problem, shared_expert_forward, layer, all_tiles.mlp.forward, 0));
    phases.push_back(phase(problem, shared_expert_backward, layer, all_tiles.mlp.backward, 0));
  }
  if (problem.workload.checkpoint == Checkpoint::X)
    phases.push_back(phase(problem, attention_recompute, layer, all_tiles.attention.forward, x));
  phases.push_back(phase(problem, attention_backward, layer, all_tiles.attention.backward, x));
  return phases;
}

std::vector<PhaseTime> batch_phases(const Problem& problem, std::int64_t sequences) {
  std::vector<PhaseTime> phases;
  for (const ProblemLayer& layer : problem.layers)
    if (!layer.experts.empty()) add_moe_phases(phases, problem, layer, sequences);
  phases.push_back(head_phase(problem, sequences));
  phases.push_back(fixed_phase(problem));
  return phases;
}

double total_seconds(const std::vector<PhaseTime>& phases) {
  double seconds = 0;
  for (const PhaseTime& phase : phases) seconds += phase.timed.seconds;
  return seconds;
}

StepTime step_time(const Problem& problem, Tiling tiling) {
  StepTime step;
  const std::int64_t sequences = micro_batch(tiling).value;
  const double slots = row_slots(tile_tokens(tiling, problem.workload.seq_len).value, problem.wafer,
                                 problem.workload.precision);
  for (const ProblemLayer& layer : problem.layers) {
    const TileWork all_tiles = as_double(tiling.tiles) * tile_work(problem, layer, slots);
    std::ranges::move(tile_phases(problem, layer, all_tiles, sequences), std::back_inserter(step.phases));
  }
  const double tiled = total_seconds(step.phases);
  const std::vector<PhaseTime> batch = batch_phases(problem, sequences);
  step.seconds = tiled + total_seconds(batch);
  step.phases.insert(step.phases.end(), batch.begin(), batch.end());
  for (const PhaseTime& phase : step.phases) step.busy += phase.timed.busy;
  return step;
}

double tokens_per_s(const Problem& problem, std::int64_t sequences, double step_s) {
  return as_double(product(problem.workload.wafers, sequences, problem.workload.seq_len)) / step_s;
}

}  // namespace bta
