// The forward pass of a pre-norm decoder, over double or over Var; see plain_step.h.
#include "executor/plain_step.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "executor/plain_attention.h"
#include "executor/plain_parts.h"
#include "executor/tape.h"

namespace bta::executor {
namespace {

using namespace plain;

template <class Scalar>
struct LayerParameters {
  Parameters<Scalar> attention, router, shared_expert, dense_mlp;
  std::vector<Parameters<Scalar>> experts;
  bool parallel = false;  // the MLP's norm has no parameters

  Row<Scalar> mlp_norm(const Parameters<Scalar>& stage, const Row<Scalar>& x) const {
    return parallel ? rms_norm(x) : stage.norm("mlp_norm", x);
  }
};

template <class Scalar>
LayerParameters<Scalar> parameters_of(const Layer& layer, std::int64_t hidden,
                                      const LayerWeights<Scalar>& weights) {
  const std::vector<Operator> operators = layer_operators(layer, hidden);
  const auto of = [&](Stage stage) { return Parameters<Scalar>(weights.of(stage), operators, stage); };
  LayerParameters<Scalar> result{
      of(Stage::attention), of(Stage::router), of(Stage::shared_expert), of(Stage::dense_mlp), {},
      layer.parallel};
  for (const std::vector<Scalar>& expert : weights.experts)
    result.experts.emplace_back(expert, operators, Stage::expert);
  return result;
}

// --- feed-forward -----------------------------------------------------------------------------------------

template <class Scalar>
Row<Scalar> mlp(const Parameters<Scalar>& parameters, const std::string& prefix, bool gated,
                const Row<Scalar>& x) {
  Row<Scalar> inner = parameters.linear(prefix + "up_proj", x);
  if (gated) {
    const Row<Scalar> gate = parameters.linear(prefix + "gate_proj", x);
    for (std::size_t i = 0; i < inner.size(); ++i) inner[i] = silu(gate[i]) * inner[i];
  } else {
    for (Scalar& each : inner) each = silu(each);
  }
  return parameters.linear(prefix + "down_proj", inner);
}

template <class Scalar>
Row<Scalar> feed_forward(const DenseMlp& dense, const LayerParameters<Scalar>& parameters,
                         const Row<Scalar>& x, std::vector<std::int64_t>&) {
  return mlp(parameters.dense_mlp, "", dense.gated, parameters.mlp_norm(parameters.dense_mlp, x));
}

template <class Scalar>
Row<Scalar> feed_forward(const MoeMlp& moe, const LayerParameters<Scalar>& parameters, const Row<Scalar>& x,
                         std::vector<std::int64_t>& tokens_per_expert) {
  const Row<Scalar> normed = parameters.mlp_norm(parameters.router, x);
  const Row<Scalar> logits = parameters.router.linear("router", normed);
  const Row<Scalar> probabilities = softmax(logits);
  Row<Scalar> preferences = logits;
  if (moe.selection_bias)
    add_scaled(preferences, Scalar(1.0), as_row(parameters.router.gains("top_k_softmax")));
  const std::vector<std::size_t> chosen = top_k(preferences, index(moe.top_k));
  Scalar chosen_sum = 0.0;
  for (const std::size_t e : chosen) chosen_sum += probabilities[e];

  tokens_per_expert.resize(index(moe.experts));
  Row<Scalar> y(x.size(), Scalar(0.0));
  for (const std::size_t e : chosen) {
    ++tokens_per_expert[e];
    const Row<Scalar> expert = mlp(parameters.experts[e], "expert_", moe.gated, normed);
    add_scaled(y, probabilities[e] / chosen_sum, expert);
  }
  if (moe.shared_width > 0) {
    const Row<Scalar> shared = mlp(parameters.shared_expert, "shared_", moe.gated, normed);
    Scalar scale = 1.0;
    if (moe.shared_gate) scale = sigmoid(parameters.shared_expert.linear("shared_gate", normed).front());
    add_scaled(y, scale, shared);
  }
  return y;
}

// --- the whole model --------------------------------------------------------------------------------------

template <class Scalar>
struct Forward {
  Scalar loss = 0.0;
  Rows<Scalar> logits;
  std::vector<std::vector<std::int64_t>> tokens_per_expert;
};

template <class Scalar>
Rows<Scalar> embed(const Weights<Scalar>& weights, const Parameters<Scalar>& head, std::size_t hidden,
                   const std::vector<std::int64_t>& tokens) {
  Rows<Scalar> x;
  for (const std::int64_t token : tokens) {
    if (weights.embedding.empty()) {
      x.push_back(head.column("lm_head", index(token)));
    } else {
      const std::span row = std::span(weights.embedding).subspan(index(token) * hidden, hidden);
      x.emplace_back(row.begin(), row.end());
    }
  }
  return x;
}

template <class Scalar>
Forward<Scalar> forward(const Model& model, const Weights<Scalar>& weights, const Batch& batch,
                        std::int64_t seq_len) {
  const Parameters<Scalar> head(weights.head, head_operators(model), Stage::head);
  Forward<Scalar> result;
  Rows<Scalar> x = embed(weights, head, index(model.hidden), batch.tokens);
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const Layer& layer = model.layers[l];
    const LayerParameters<Scalar> parameters = parameters_of(layer, model.hidden, weights.layers[l]);
    const Rows<Scalar> attended = attention_of(layer.attention, parameters.attention, x, index(seq_len));
    std::vector<std::int64_t>& counts = result.tokens_per_expert.emplace_back();
    for (std::size_t t = 0; t < x.size(); ++t) {
      add_scaled(x[t], Scalar(1.0), attended[t]);
      const auto run = [&](const auto& kind) { return feed_forward(kind, parameters, x[t], counts); };
      add_scaled(x[t], Scalar(1.0), std::visit(run, layer.feed_forward));
    }
  }
  for (std::size_t t = 0; t < x.size(); ++t) {
    result.logits.push_back(head.linear("lm_head", head.norm("final_norm", x[t])));
    result.loss += cross_entropy(result.logits.back(), index(batch.targets[t]));
  }
  result.loss = result.loss / Scalar(static_cast<double>(x.size()));
  return result;
}

void check(const Model& model, const Batch& batch, std::int64_t seq_len) {
  const auto outside = [&](std::int64_t token) { return token < 0 || token >= model.vocabulary; };
  const std::size_t tokens = batch.tokens.size();
  if (seq_len < 1 || tokens == 0 || tokens % index(seq_len) != 0 || batch.targets.size() != tokens)
    throw std::invalid_argument("a batch holds whole sequences and a target for each token");
  if (std::ranges::any_of(batch.tokens, outside) || std::ranges::any_of(batch.targets, outside))
    throw std::invalid_argument("a token of the batch lies outside the vocabulary");
}

/// Every value of `weights`, in its place, replaced by `change(value)`.
template <class To, class From, class Change>
Weights<To> changed(const Weights<From>& weights, const Change& change) {
  const auto all = [&](const std::vector<From>& values) {
    std::vector<To> result;
    for (const From& value : values) result.push_back(change(value));
    return result;
  };
  Weights<To> result{all(weights.embedding), {}, all(weights.head)};
  for (const LayerWeights<From>& layer : weights.layers) {
    LayerWeights<To>& target = result.layers.emplace_back();
    for (std::size_t s = 0; s < stage_count; ++s) target.stages[s] = all(layer.stages[s]);
    for (const std::vector<From>& expert : layer.experts) target.experts.push_back(all(expert));
  }
  return result;
}

}  // namespace

double plain_loss(const Model& model, const Weights<double>& weights, const Batch& batch,
                  std::int64_t seq_len) {
  check(model, batch, seq_len);
  return forward(model, weights, batch, seq_len).loss;
}

PlainResult plain_step(const Model& model, const Weights<double>& weights, const Batch& batch,
                       std::int64_t seq_len) {
  check(model, batch, seq_len);
  Tape tape;
  const auto variables = changed<Var>(weights, [&](double value) { return tape.input(value); });
  Forward<Var> result = forward(model, variables, batch, seq_len);
  const std::vector<double> adjoints = tape.adjoints(result.loss);
  PlainResult step;
  step.loss = result.loss.value;
  for (const Row<Var>& row : result.logits) {
    for (const Var& logit : row) step.logits.push_back(logit.value);
  }
  step.tokens_per_expert = std::move(result.tokens_per_expert);
  step.gradients = changed<double>(variables, [&](const Var& variable) { return adjoints[variable.node]; });
  return step;
}

}  // namespace bta::executor
