#include "cost/flops.h"

#include "cost/term.h"

namespace bta {
namespace {

std::int64_t tokens_through(const ProblemLayer* layer, const Operator& op, std::int64_t tokens) {
  if (op.stage != Stage::expert) return tokens;
  return product(tokens, std::get<MoeMlp>(layer->layer.feed_forward).top_k);
}

std::int64_t forward_count(const Problem& problem, const ProblemLayer* layer, const Operator& op,
                           std::int64_t sequences) {
  const std::int64_t seq_len = problem.workload.seq_len;
  const std::int64_t tokens = tokens_through(layer, op, product(sequences, seq_len));
  const auto twice_all_pairs = [&](const std::optional<Window>& window) {
    return product(sequences, twice_pairs(seq_len, problem.workload.mask, window));
  };
  if (const auto* gemm = std::get_if<Gemm>(&op.work))
    return product(std::int64_t{2}, tokens, gemm->inputs, gemm->outputs);
  if (const auto* attention = std::get_if<AttentionProduct>(&op.work))
    return product(twice_all_pairs(attention->window), attention->heads, attention->head_dim);
  if (const auto* vector = std::get_if<TokenVector>(&op.work))
    return product(tokens, vector->elements, vector->flops_per_element);
  const auto& pairs = std::get<PairVector>(op.work);
  return product(twice_all_pairs(pairs.window), pairs.heads, pairs.flops_per_element) / 2;
}

void add(FlopCount& count, const Problem& problem, const ProblemLayer* layer, const Operator& op,
         std::int64_t layers, std::int64_t sequences) {
  const Flops forward =
      term("FLOPs", op.name, "layers", layers) * forward_flops(problem, layer, op, sequences);
  const bool is_vector = flop_class(op) == FlopClass::vector;
  if (!is_vector) count.model_forward += forward;
  Flops& executed = is_vector ? count.vector : count.hardware;
  for (const PhaseKind kind : phases_of(op.stage, problem.workload.checkpoint))
    executed += executed_flops(op, forward, phase_rule(kind).passes);
}

}  // namespace

Flops forward_flops(const Problem& problem, const ProblemLayer* layer, const Operator& op,
                    std::int64_t sequences) {
  return Flops(term("FLOPs", op.name, "forward", forward_count(problem, layer, op, sequences)));
}

Flops executed_flops(const Operator& op, Flops forward, Passes passes) {
  const std::int64_t replays = passes.gradients ? op.replays : 1;
  const std::int64_t runs = term("FLOPs", op.name, "forward passes", passes.forward * replays);
  if (!passes.gradients || !op.differentiated) return runs * forward;
  return (runs + term("FLOPs", op.name, "gradients", std::int64_t{2})) * forward;
}

FlopCount count_flops(const Problem& problem, std::int64_t sequences) {
  FlopCount count;
  for (const ProblemLayer& layer : problem.layers)
    for (const Operator& op : layer.operators) add(count, problem, &layer, op, layer.count, sequences);
  for (const Operator& op : problem.head) add(count, problem, nullptr, op, 1, sequences);
  count.model_training = term("FLOPs", "model", "passes", std::int64_t{3}) * count.model_forward;
  return count;
}

std::vector<PhaseKind> phases_of(Stage stage, Checkpoint checkpoint) {
  using enum PhaseKind;
  switch (stage) {
    case Stage::attention:
      if (checkpoint == Checkpoint::X) return {attention_forward, attention_recompute, attention_backward};
      return {attention_forward, attention_backward};
    case Stage::router:
      return {router_forward, router_backward};
    case Stage::expert:
      return {experts_forward, experts_backward};
    case Stage::shared_expert:
      return {shared_expert_forward, shared_expert_backward};
    case Stage::dense_mlp:
      return {dense_mlp_forward, dense_mlp_backward};
    case Stage::head:
      return {head};
  }
  return {};
}

Utilization utilization(const Problem& problem, double hardware_flops, double step_s) {
  const Wafer& wafer = problem.wafer;
  const double rate = hardware_flops / step_s;  // one wafer's
  const double grid_peak = 2 * as_double(wafer.rows) * as_double(wafer.columns) *
                           as_double(vector_width(wafer, problem.workload.precision)) * wafer.clock_hz;
  return {rate / wafer.dense_peak_flops_per_s, rate / grid_peak};
}

}  // namespace bta
