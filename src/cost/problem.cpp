#include "cost/problem.h"

#include <algorithm>
#include <cmath>

#include "cost/roofline.h"

namespace bta {
namespace {

constexpr double head_chunk_target = 4096;

ProblemLayer problem_layer(const LayerKind& kind, const Model& model, const Workload& workload) {
  ProblemLayer layer{kind.layer, kind.count, kind.deepest, layer_operators(kind.layer, model.hidden), {}};
  if (const auto* moe = std::get_if<MoeMlp>(&kind.layer.feed_forward))
    layer.experts = expert_groups(routing_probabilities(workload.routing, moe->experts, moe->top_k));
  return layer;
}

}  // namespace

std::int64_t head_chunk(const Wafer& wafer, const Workload& workload) {
  if (workload.head_chunk) return *workload.head_chunk;
  const std::int64_t row_of_vectors = product(wafer.rows, vector_width(wafer, workload.precision));
  const auto multiple =
      static_cast<std::int64_t>(std::llround(head_chunk_target / as_double(row_of_vectors)));
  return product(row_of_vectors, std::max<std::int64_t>(1, multiple));
}

Problem make_problem(Model model, Wafer wafer, Workload workload) {
  Problem problem{std::move(model), std::move(wafer), std::move(workload), {}, {}, 0};
  for (const LayerKind& kind : layer_kinds(problem.model))
    problem.layers.push_back(problem_layer(kind, problem.model, problem.workload));
  problem.head = head_operators(problem.model);
  problem.head_chunk = head_chunk(problem.wafer, problem.workload);
  return problem;
}

std::int64_t most_heads(const Problem& problem) {
  std::int64_t most = 1;
  for (const ProblemLayer& layer : problem.layers) most = std::max(most, query_heads(layer.layer.attention));
  return most;
}

std::int64_t stage_parameters(std::span<const Operator> operators, Stage stage) {
  std::int64_t parameters = 0;
  for (const Operator& op : operators)
    if (op.stage == stage) parameters = checked_add(parameters, op.parameters);
  return parameters;
}

Bytes activation_bytes(const Problem& problem, std::int64_t sequences) {
  return Bytes(
      product(sequences, problem.workload.seq_len, problem.model.hidden, problem.workload.bytes.activation));
}

}  // namespace bta
