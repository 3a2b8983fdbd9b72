#include "cost/traffic.h"

#include "cost/step_time.h"
#include "cost/term.h"

namespace bta {
namespace {

/// The checkpoint that goes out in a phase or comes back in it.
struct Passage {
  bool x = false;  // X; else Y
  bool out = false;
};
std::optional<Passage> passage(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::attention_forward:
      return Passage{.x = true, .out = true};
    case PhaseKind::attention_recompute:
    case PhaseKind::attention_backward:
      return Passage{.x = true, .out = false};
    case PhaseKind::experts_forward:
    case PhaseKind::dense_mlp_forward:
      return Passage{.x = false, .out = true};
    case PhaseKind::experts_backward:
    case PhaseKind::dense_mlp_backward:
      return Passage{.x = false, .out = false};
    default:
      return std::nullopt;
  }
}

bool is_streamed(Passage passage, Checkpoint checkpoint) {
  return checkpoint == Checkpoint::XY || (checkpoint == Checkpoint::X && passage.x);
}

Bytes streamed(PhaseKind kind, std::string_view part, Bytes bytes) {
  return Bytes(term("traffic", phase_name(kind), part, bytes.value));
}

void add_checkpoint(PhaseTraffic& traffic, const Problem& problem, std::int64_t sequences) {
  const auto found = passage(traffic.kind);
  if (!found || !is_streamed(*found, problem.workload.checkpoint)) return;
  const Bytes bytes = activation_bytes(problem, sequences);
  if (found->out)
    traffic.checkpoint_out = streamed(traffic.kind, "checkpoint out", bytes);
  else
    traffic.checkpoint_in = streamed(traffic.kind, "checkpoint in", bytes);
}

std::int64_t copies(const ProblemLayer& layer, Stage stage) {
  return stage == Stage::expert ? std::get<MoeMlp>(layer.layer.feed_forward).experts : 1;
}

bool runs(PhaseKind kind, const Problem& problem, const ProblemLayer& layer) {
  if (kind == PhaseKind::head || kind == PhaseKind::fixed) return false;
  if (kind == PhaseKind::attention_recompute && problem.workload.checkpoint != Checkpoint::X) return false;
  return stage_parameters(layer.operators, phase_rule(kind).stage) > 0;
}

}  // namespace

PhaseTraffic parameter_traffic(const Problem& problem, std::span<const Operator> operators, PhaseKind kind) {
  const auto [stage, passes] = phase_rule(kind);
  const std::int64_t parameters = stage_parameters(operators, stage);
  PhaseTraffic traffic;
  traffic.kind = kind;
  traffic.weights_in =
      streamed(kind, "weights in", Bytes(product(parameters, problem.workload.bytes.weight)));
  if (passes.gradients)
    traffic.gradients_out =
        streamed(kind, "gradients out", Bytes(product(parameters, problem.workload.bytes.gradient)));
  return traffic;
}

PhaseTraffic phase_traffic(const Problem& problem, const ProblemLayer& layer, PhaseKind kind,
                           std::int64_t sequences) {
  PhaseTraffic traffic = parameter_traffic(problem, layer.operators, kind);
  const std::int64_t parts =
      term("traffic", phase_name(kind), "copies", copies(layer, phase_rule(kind).stage));
  traffic.weights_in = parts * traffic.weights_in;
  traffic.gradients_out = parts * traffic.gradients_out;
  add_checkpoint(traffic, problem, sequences);
  return traffic;
}

std::vector<PhaseTraffic> layer_traffic(const Problem& problem, const ProblemLayer& layer,
                                        std::int64_t sequences) {
  std::vector<PhaseTraffic> traffic;
  for (std::size_t i = 0; i < phase_names.size(); ++i)
    if (const auto kind = static_cast<PhaseKind>(i); runs(kind, problem, layer))
      traffic.push_back(phase_traffic(problem, layer, kind, sequences));
  return traffic;
}

PhaseTraffic head_traffic(const Problem& problem) {
  return parameter_traffic(problem, problem.head, PhaseKind::head);
}

}  // namespace bta
