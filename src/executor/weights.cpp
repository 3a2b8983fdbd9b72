#include "executor/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace bta::executor {
namespace {

/// Uniform in [-1, 1).
double signed_unit(Random& random) {
  return 2 * random.unit() - 1;
}

void fill(std::vector<double>& values, const std::vector<Slice>& stage, Random& random) {
  for (const Slice& slice : stage) {
    const double centre = slice.inputs == 0 ? 1 : 0;
    const double width = slice.inputs == 0 ? 0.25 : 1 / std::sqrt(static_cast<double>(slice.inputs));
    for (std::int64_t i = 0; i < slice.size(); ++i)
      values[static_cast<std::size_t>(slice.offset + i)] = centre + width * signed_unit(random);
  }
}

constexpr std::array single_stages = {Stage::attention, Stage::router, Stage::shared_expert,
                                      Stage::dense_mlp};

std::int64_t experts_of(const Layer& layer) {
  const auto* moe = std::get_if<MoeMlp>(&layer.feed_forward);
  return moe == nullptr ? 0 : moe->experts;
}

template <class Scalar>
std::vector<Scalar> zeros(const std::vector<Slice>& stage) {
  return std::vector<Scalar>(static_cast<std::size_t>(total_size(stage)), Scalar(0));
}

void add_spans(std::vector<NamedSpan>& spans, const std::string& prefix, std::vector<double>& values,
               const std::vector<Slice>& stage) {
  for (const Slice& slice : stage)
    spans.push_back({fmt::format("{}{}", prefix, slice.name), &values, slice.offset, slice.size()});
}

}  // namespace

std::vector<Slice> slices(const std::vector<Operator>& operators, Stage stage) {
  std::vector<Slice> result;
  std::int64_t offset = 0;
  for (const Operator& op : operators) {
    if (op.stage != stage || op.parameters == 0) continue;
    Slice slice{op.name, offset, 0, op.parameters, false};
    if (const auto* gemm = std::get_if<Gemm>(&op.work))
      slice = {op.name, offset, gemm->inputs, gemm->outputs, op.parameters > gemm->inputs * gemm->outputs};
    if (const auto* vector = std::get_if<TokenVector>(&op.work); vector != nullptr && vector->bias)
      slice = {op.name, offset, 0, vector->elements, true};
    result.push_back(slice);
    offset += slice.size();
  }
  return result;
}

std::int64_t total_size(const std::vector<Slice>& slices) {
  return slices.empty() ? 0 : slices.back().offset + slices.back().size();
}

template <class Scalar>
Weights<Scalar> zero_weights(const Model& model) {
  Weights<Scalar> weights;
  if (!model.tied_embeddings)
    weights.embedding.assign(static_cast<std::size_t>(model.vocabulary * model.hidden), Scalar(0));
  for (const Layer& layer : model.layers) {
    const std::vector<Operator> operators = layer_operators(layer, model.hidden);
    LayerWeights<Scalar>& result = weights.layers.emplace_back();
    for (const Stage stage : single_stages) result.of(stage) = zeros<Scalar>(slices(operators, stage));
    result.experts.assign(static_cast<std::size_t>(experts_of(layer)),
                          zeros<Scalar>(slices(operators, Stage::expert)));
  }
  weights.head = zeros<Scalar>(slices(head_operators(model), Stage::head));
  return weights;
}

template Weights<double> zero_weights(const Model&);
template Weights<float> zero_weights(const Model&);

Weights<double> random_weights(const Model& model, std::uint64_t seed) {
  Weights<double> weights = zero_weights<double>(model);
  Random random(seed);
  for (double& value : weights.embedding) value = signed_unit(random);
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const std::vector<Operator> operators = layer_operators(model.layers[l], model.hidden);
    for (const Stage stage : single_stages)
      fill(weights.layers[l].of(stage), slices(operators, stage), random);
    for (std::vector<double>& expert : weights.layers[l].experts)
      fill(expert, slices(operators, Stage::expert), random);
  }
  fill(weights.head, slices(head_operators(model), Stage::head), random);
  return weights;
}

template <class To, class From>
Weights<To> converted(const Weights<From>& weights) {
  const auto convert = [](const std::vector<From>& values) {
    std::vector<To> result(values.size());
    std::ranges::transform(values, result.begin(), [](From value) { return static_cast<To>(value); });
    return result;
  };
  Weights<To> result;
  result.embedding = convert(weights.embedding);
  for (const LayerWeights<From>& layer : weights.layers) {
    LayerWeights<To>& target = result.layers.emplace_back();
    std::ranges::transform(layer.stages, target.stages.begin(), convert);
    for (const std::vector<From>& expert : layer.experts) target.experts.push_back(convert(expert));
  }
  result.head = convert(weights.head);
  return result;
}

template Weights<float> converted(const Weights<double>&);
template Weights<double> converted(const Weights<float>&);
template Weights<double> converted(const Weights<double>&);

std::vector<NamedSpan> named_spans(Weights<double>& weights, const Model& model) {
  std::vector<NamedSpan> spans;
  if (!weights.embedding.empty())
    spans.push_back(
        {"embedding", &weights.embedding, 0, static_cast<std::int64_t>(weights.embedding.size())});
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const std::vector<Operator> operators = layer_operators(model.layers[l], model.hidden);
    LayerWeights<double>& layer = weights.layers[l];
    for (const Stage stage : single_stages)
      add_spans(spans, fmt::format("layer {} ", l), layer.of(stage), slices(operators, stage));
    for (std::size_t e = 0; e < layer.experts.size(); ++e)
      add_spans(spans, fmt::format("layer {} expert {} ", l, e), layer.experts[e],
                slices(operators, Stage::expert));
  }
  add_spans(spans, "", weights.head, slices(head_operators(model), Stage::head));
  return spans;
}

Batch random_batch(const Model& model, std::int64_t sequences, std::int64_t seq_len, std::uint64_t seed) {
  Random random(seed);
  const auto token = [&] { return random.between(0, model.vocabulary - 1); };
  Batch batch;
  for (std::int64_t i = 0; i < sequences * seq_len; ++i) {
    batch.tokens.push_back(token());
    batch.targets.push_back(token());
  }
  return batch;
}

}  // namespace bta::executor
