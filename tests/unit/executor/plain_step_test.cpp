// The plain step against values computed by hand, against central differences and against what a causal model
// cannot see.
#include "executor/plain_step.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "executor/plain_parts.h"
#include "executor/tape.h"
#include "support/approx.h"

using namespace bta;
using namespace bta::executor;

namespace {

Model model_of(std::int64_t hidden, std::int64_t vocabulary, std::vector<Layer> layers) {
  Model model;
  model.hidden = hidden;
  model.vocabulary = vocabulary;
  model.layers = std::move(layers);
  return model;
}

/// Grouped queries, norm per head, gated experts with a gated shared one.
Model moe_model(std::optional<Window> window = Window{2}) {
  GroupedQueryAttention attention{
      .heads = 4, .kv_heads = 2, .qk_head_dim = 4, .v_head_dim = 3, .qk_norm = QkNorm::per_head};
  attention.window = window;
  const MoeMlp moe{.experts = 4, .top_k = 2, .width = 5, .shared_width = 3, .shared_gate = true};
  return model_of(6, 7, {{attention, moe}, {attention, moe}});
}

/// Biases, norm over the projection, odd head size, no gate, tied embeddings.
Model dense_model() {
  GroupedQueryAttention attention{.heads = 2, .kv_heads = 1, .qk_head_dim = 5, .v_head_dim = 2};
  attention.qk_norm = QkNorm::projection;
  attention.qkv_bias = attention.output_bias = true;
  const DenseMlp mlp{.width = 5, .gated = false, .bias = true};
  Model model = model_of(6, 7, {{attention, mlp}, {attention, mlp}});
  model.tied_embeddings = true;
  return model;
}

/// A gated dense layer with biases, then experts that are neither gated nor shared; no norm of q and k.
Model mixed_model() {
  const GroupedQueryAttention attention{.heads = 2, .kv_heads = 2, .qk_head_dim = 2, .v_head_dim = 3};
  return model_of(4, 5,
                  {{attention, DenseMlp{.width = 3, .gated = true, .bias = true}},
                   {attention, MoeMlp{.experts = 3, .top_k = 2, .width = 4, .gated = false}}});
}

/// Latent queries, keys and values with biases; LayerNorms; all biases of router, experts and head.
Model latent_model(std::int64_t q_rank = 3) {
  const LatentAttention attention{.heads = 3,
                                  .q_rank = q_rank,
                                  .kv_rank = 4,
                                  .nope_head_dim = 2,
                                  .rope_head_dim = 3,
                                  .v_head_dim = 2,
                                  .bias = true};
  MoeMlp moe{.experts = 4, .top_k = 3, .width = 5, .shared_width = 3};
  moe.router_bias = moe.selection_bias = moe.expert_bias = true;
  Layer layer{attention, moe};
  layer.norm_bias = true;
  Model model = model_of(6, 7, {layer, layer});
  model.norm_bias = model.head_bias = true;
  return model;
}

/// Chunks, sinks, a norm without gains, half of a head rotated; attention and MLP in parallel.
Model chunked_model(std::optional<Window> window = Window{2, true}) {
  GroupedQueryAttention attention{
      .heads = 4, .kv_heads = 2, .qk_head_dim = 4, .v_head_dim = 3, .qk_norm = QkNorm::unit};
  attention.window = window;
  attention.rotary_dim = 2;
  attention.sinks = true;
  Layer layer{attention, DenseMlp{.width = 5}};
  layer.parallel = true;
  return model_of(6, 7, {layer, layer});
}

std::span<double> values_of(Weights<double>& weights, const Model& model, const std::string& name) {
  const std::vector<NamedSpan> spans = named_spans(weights, model);
  const auto found = std::ranges::find(spans, name, &NamedSpan::name);
  REQUIRE_MESSAGE(found != spans.end(), name);
  return std::span(*found->values)
      .subspan(static_cast<std::size_t>(found->offset), static_cast<std::size_t>(found->size));
}

void set(Weights<double>& weights, const Model& model, const std::string& name,
         const std::vector<double>& values) {
  const std::span<double> target = values_of(weights, model, name);
  REQUIRE(target.size() == values.size());
  std::ranges::copy(values, target.begin());
}

std::vector<double> scaled(std::span<const double> values, double factor) {
  std::vector<double> result(values.begin(), values.end());
  for (double& value : result) value *= factor;
  return result;
}

std::vector<double> logits_of(const Model& model, const Weights<double>& weights, const Batch& batch,
                              std::int64_t seq_len) {
  return plain_step(model, weights, batch, seq_len).logits;
}

void check_gradients(const Model& model, std::uint64_t seed) {
  constexpr std::int64_t seq_len = 4;
  constexpr double shift = 1e-4;
  Weights<double> weights = random_weights(model, seed);
  const Batch batch = random_batch(model, 3, seq_len, seed + 1);
  PlainResult step = plain_step(model, weights, batch, seq_len);
  CHECK(step.loss == bta::approx(plain_loss(model, weights, batch, seq_len)).epsilon(1e-13));
  const auto loss_at = [&](double& value, double moved) {
    const double kept = std::exchange(value, moved);
    const double loss = plain_loss(model, weights, batch, seq_len);
    value = kept;
    return loss;
  };
  for (const NamedSpan& span : named_spans(weights, model)) {
    CAPTURE(span.name);
    const std::span<double> values = values_of(weights, model, span.name);
    const std::span<double> gradients = values_of(step.gradients, model, span.name);
    double worst = 0, size = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double difference = loss_at(values[i], values[i] + shift) - loss_at(values[i], values[i] - shift);
      worst = std::max(worst, std::abs(difference / (2 * shift) - gradients[i]));
      size = std::max(size, std::abs(gradients[i]));
    }
    CHECK(worst < 1e-7);
    if (span.name.ends_with("top_k_softmax"))
      CHECK(size == 0);  // a selection bias decides, it does not weigh
    else
      CHECK(size > 1e-5);
  }
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("a tape differentiates every operation") {
  Tape tape;
  const Var x = tape.input(0.7), y = tape.input(1.3);
  const Var z = exp(x) * log(y) - sqrt(x + y) / y + (-x) * Var(3.0) + x * x;
  const std::vector<double> adjoints = tape.adjoints(z);
  CHECK(z.value == bta::approx(std::exp(0.7) * std::log(1.3) - std::sqrt(2.0) / 1.3 - 2.1 + 0.49));
  CHECK(adjoints[x.node] ==
        bta::approx(std::exp(0.7) * std::log(1.3) - 0.5 / std::sqrt(2.0) / 1.3 - 3 + 1.4));
  CHECK(adjoints[y.node] ==
        bta::approx(std::exp(0.7) / 1.3 - 0.5 / std::sqrt(2.0) / 1.3 + std::sqrt(2.0) / 1.69));
  CHECK((Var(2.0) * Var(3.0)).tape == nullptr);
  CHECK(tape.adjoints(Var(2.0)) == std::vector<double>(adjoints.size(), 0.0));
}

TEST_CASE("two tokens of one layer by hand: norms, rotation, attention, activation, cross-entropy") {
  const GroupedQueryAttention attention{
      .heads = 1, .kv_heads = 1, .qk_head_dim = 5, .v_head_dim = 2, .qk_norm = QkNorm::per_head};
  const Model model = model_of(2, 2, {{attention, DenseMlp{.width = 1}}});
  const std::vector<double> identity = {1, 0, 0, 1};
  Weights<double> weights = zero_weights<double>(model);
  set(weights, model, "layer 0 q_proj", {0, 1, 0, 0, 0, 0, 0, 0, 1, 1});
  set(weights, model, "layer 0 k_proj", {0, 1, 0, 0, 0, 0, 0, 0, 0, 1});
  set(weights, model, "layer 0 qk_norm", {1, 2, 1, 3, 1, 1, 1, 1, 1, 5});
  for (const char* const name : {"layer 0 v_proj", "layer 0 o_proj", "lm_head"})
    set(weights, model, name, identity);
  set(weights, model, "embedding", {1, -1, 1, 1});
  set(weights, model, "layer 0 attention_norm", {1, 1});
  set(weights, model, "layer 0 mlp_norm", {2, 2});
  set(weights, model, "layer 0 gate_proj", {1, 0});
  set(weights, model, "layer 0 up_proj", {0, 1});
  set(weights, model, "layer 0 down_proj", {0, 0.5});
  set(weights, model, "final_norm", {1, 3});

  // Normed inputs are n(1,-1) and n(1,1). A query is (0,2x0,0,3x1,x1) over its root mean square, a key
  // (0,x0,0,0,5x1) over its own; elements 1 and 3 turn together. The second query meets the first key turned,
  // and its own as if neither had turned. So its context is n(1, p1 - p0).
  const double n = 1 / std::sqrt(1 + 1e-6), turn = std::pow(10000, -2.0 / 5);
  const double unit =
      n / std::sqrt(3 * n * n / 5 + 1e-6) * n / std::sqrt(2 * n * n / 5 + 1e-6) / std::sqrt(5.0);
  const double score0 = (2 * std::cos(turn) - 3 * std::sin(turn) - 5) * unit, score1 = (2 + 5) * unit;
  const double balance = std::tanh((score1 - score0) / 2);
  double loss = 0;
  const auto expect = [&](double x0, double x1, double logit0, double logit1, bool second) {
    const double root = std::sqrt((x0 * x0 + x1 * x1) / 2 + 1e-6);
    const double gate = 2 * x0 / root, up = 2 * x1 / root;
    const double y1 = x1 + 0.5 * gate / (1 + std::exp(-gate)) * up;
    const double final_root = std::sqrt((x0 * x0 + y1 * y1) / 2 + 1e-6);
    CHECK(logit0 == bta::approx(x0 / final_root).epsilon(1e-12));
    CHECK(logit1 == bta::approx(3 * y1 / final_root).epsilon(1e-12));
    const double other = (x0 - 3 * y1) / final_root;
    loss += std::log(1 + std::exp(second ? other : -other)) / 2;
  };
  const PlainResult step = plain_step(model, weights, {{0, 1}, {1, 0}}, 2);
  expect(1 + n, -1 - n, step.logits[0], step.logits[1], true);
  expect(1 + n, 1 + n * balance, step.logits[2], step.logits[3], false);
  CHECK(step.loss == bta::approx(loss).epsilon(1e-12));
  CHECK(step.tokens_per_expert == std::vector<std::vector<std::int64_t>>{{}});
}

TEST_CASE("without an output head every token is as likely: the loss is log V") {
  for (const Model& model : {moe_model(), mixed_model()}) {
    Weights<double> weights = random_weights(model, 3);
    std::ranges::fill(values_of(weights, model, "lm_head"), 0.0);
    const double loss = plain_loss(model, weights, random_batch(model, 2, 4, 4), 4);
    CHECK(loss == bta::approx(std::log(static_cast<double>(model.vocabulary))).epsilon(1e-14));
  }
}

TEST_CASE("equal routed and shared experts are the dense MLP, ties go to the first experts") {
  const GroupedQueryAttention attention{.heads = 2, .kv_heads = 1, .qk_head_dim = 4, .v_head_dim = 3};
  const MoeMlp moe{.experts = 4, .top_k = 2, .width = 5, .shared_width = 5, .shared_gate = true};
  const Model routed = model_of(6, 7, {{attention, moe}});
  const Model dense = model_of(6, 7, {{attention, DenseMlp{.width = 5}}});
  Weights<double> target = random_weights(dense, 5), weights = random_weights(routed, 6);
  for (const char* const name :
       {"embedding", "final_norm", "lm_head", "layer 0 attention_norm", "layer 0 q_proj", "layer 0 k_proj",
        "layer 0 v_proj", "layer 0 o_proj", "layer 0 mlp_norm"})
    set(weights, routed, name, scaled(values_of(target, dense, name), 1));
  // All router logits are zero: experts 0 and 1, each by a half; the shared expert by sigmoid(0).
  set(weights, routed, "layer 0 router", std::vector<double>(24, 0));
  set(weights, routed, "layer 0 shared_gate", std::vector<double>(6, 0));
  const std::vector<std::pair<std::string, double>> parts = {
      {"expert 0 expert", 0.25}, {"expert 1 expert", 1.25}, {"shared", 0.5}};  // halves that add up to 1
  for (const auto& [prefix, factor] : parts) {
    for (const std::string matrix : {"gate_proj", "up_proj", "down_proj"})
      set(weights, routed, "layer 0 " + prefix + "_" + matrix,
          scaled(values_of(target, dense, "layer 0 " + matrix), matrix == "down_proj" ? factor : 1));
  }
  const Batch batch = random_batch(routed, 2, 3, 7);
  const PlainResult step = plain_step(routed, weights, batch, 3);
  CHECK(step.tokens_per_expert == std::vector<std::vector<std::int64_t>>{{6, 6, 0, 0}});
  CHECK(step.loss == bta::approx(plain_loss(dense, target, batch, 3)).epsilon(1e-13));
  CHECK(plain::top_k(plain::Row<double>(40, 1.0), 3) == std::vector<std::size_t>{0, 1, 2});
}

TEST_CASE("consecutive query heads share a key and value head") {
  Model grouped = moe_model(), repeated = grouped;
  for (Layer& layer : repeated.layers) std::get<GroupedQueryAttention>(layer.attention).kv_heads = 4;
  Weights<double> weights = random_weights(grouped, 8), target = zero_weights<double>(repeated);
  for (const NamedSpan& span : named_spans(weights, grouped)) {
    std::vector<double> values = scaled(values_of(weights, grouped, span.name), 1);
    const bool key = span.name.ends_with("k_proj"), value = span.name.ends_with("v_proj");
    if (key || value) {
      const std::size_t dim = key ? 4 : 3;
      std::vector<double> twice(2 * values.size());
      for (std::size_t i = 0; i < twice.size(); ++i) twice[i] = values[i / (2 * dim) * dim + i % dim];
      values = twice;
    }
    set(target, repeated, span.name, values);
  }
  const Batch batch = random_batch(grouped, 2, 4, 9);
  CHECK(logits_of(grouped, weights, batch, 4) == logits_of(repeated, target, batch, 4));
}

TEST_CASE("gradients equal central differences, parameter by parameter") {
  SUBCASE("gated experts, shared expert, norm per head, window") {
    check_gradients(moe_model(), 11);
  }
  SUBCASE("dense, biases, norm of the projection, tied") {
    check_gradients(dense_model(), 21);
  }
  SUBCASE("dense and ungated experts mixed") {
    check_gradients(mixed_model(), 31);
  }
  SUBCASE("latent attention, LayerNorms, biases of router, experts and head") {
    check_gradients(latent_model(), 60);
    check_gradients(latent_model(0), 60);
  }
  SUBCASE("chunks, sinks, a norm without gains, parallel") {
    check_gradients(chunked_model(), 51);
  }
}

TEST_CASE("sequences do not see each other and tokens do not see later ones") {
  for (const Model& model :
       {moe_model(), dense_model(), mixed_model(), latent_model(), chunked_model(std::nullopt)}) {
    const Weights<double> weights = random_weights(model, 41);
    const Batch batch = random_batch(model, 2, 4, 42);
    const std::vector<double> logits = logits_of(model, weights, batch, 4);
    const std::ptrdiff_t width = model.vocabulary;

    Batch swapped = batch;
    std::rotate(swapped.tokens.begin(), swapped.tokens.begin() + 4, swapped.tokens.end());
    std::vector<double> expected = logits;
    std::rotate(expected.begin(), expected.begin() + 4 * width, expected.end());
    CHECK(logits_of(model, weights, swapped, 4) == expected);

    Batch changed = batch;
    changed.tokens[2] = (changed.tokens[2] + 1) % model.vocabulary;
    const std::vector<double> after = logits_of(model, weights, changed, 4);
    const auto same = [&](std::ptrdiff_t token) {
      return std::equal(after.begin() + token * width, after.begin() + (token + 1) * width,
                        logits.begin() + token * width);
    };
    for (const std::ptrdiff_t token : {0, 1, 4, 5, 6, 7}) CHECK(same(token));
    for (const std::ptrdiff_t token : {2, 3}) CHECK(!same(token));
  }
}

TEST_CASE("a window as long as the sequence is none, a shorter one hides the oldest keys") {
  const Weights<double> weights = random_weights(moe_model(), 51);
  const Batch batch = random_batch(moe_model(), 2, 4, 52);
  const std::vector<double> full = logits_of(moe_model(std::nullopt), weights, batch, 4);
  CHECK(logits_of(moe_model(Window{4}), weights, batch, 4) == full);
  CHECK(logits_of(moe_model(Window{2}), weights, batch, 4) != full);
  // Seeing itself alone, a token is its own sequence.
  const std::vector<double> alone = logits_of(moe_model(std::nullopt), weights, batch, 1);
  const std::vector<double> seen = logits_of(moe_model(Window{1}), weights, batch, 4);
  for (std::size_t i = 0; i < alone.size(); ++i) CHECK(seen[i] == bta::approx(alone[i]).epsilon(1e-12));
}

TEST_CASE("a chunk is a sequence of its own: only distances turn keys against queries") {
  const Weights<double> weights = random_weights(chunked_model(), 53);
  const Batch batch = random_batch(chunked_model(), 2, 4, 54);
  const std::vector<double> alone = logits_of(chunked_model(std::nullopt), weights, batch, 2);
  const std::vector<double> chunked = logits_of(chunked_model(), weights, batch, 4);
  for (std::size_t i = 0; i < alone.size(); ++i) CHECK(chunked[i] == bta::approx(alone[i]).epsilon(1e-12));
}

TEST_CASE("a sink far below the scores takes nothing, one far above takes all") {
  const Model model = chunked_model();
  Model without = model;
  for (Layer& layer : without.layers) std::get<GroupedQueryAttention>(layer.attention).sinks = false;
  Weights<double> weights = random_weights(model, 55), low = random_weights(model, 55);
  const Batch batch = random_batch(model, 2, 4, 56);
  Weights<double> target = random_weights(without, 1);
  for (const NamedSpan& span : named_spans(target, without)) {
    const std::span<double> values = values_of(weights, model, span.name);
    set(target, without, span.name, {values.begin(), values.end()});
  }
  for (const char* const sinks : {"layer 0 softmax", "layer 1 softmax"}) {
    set(low, model, sinks, std::vector<double>(4, -1000));
    set(weights, model, sinks, std::vector<double>(4, 1000));
  }
  CHECK(logits_of(model, low, batch, 4) == logits_of(without, target, batch, 4));
  for (const char* const out : {"layer 0 v_proj", "layer 1 v_proj"})
    set(low, model, out, std::vector<double>(values_of(low, model, out).size(), 0));
  const std::vector<double> all = logits_of(model, weights, batch, 4);
  const std::vector<double> none = logits_of(model, low, batch, 4);  // values of nothing: no attention at all
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(all[i] == bta::approx(none[i]).epsilon(1e-12));
}

TEST_CASE("a selection bias decides who is chosen") {
  const Model model = latent_model();
  Weights<double> weights = random_weights(model, 57);
  set(weights, model, "layer 1 top_k_softmax", {1000, 1000, 0, 1000});
  const PlainResult step = plain_step(model, weights, random_batch(model, 2, 4, 58), 4);
  CHECK(step.tokens_per_expert[1] == std::vector<std::int64_t>{8, 8, 0, 8});
}

TEST_CASE("a batch that does not fit is refused") {
  const Model model = mixed_model();
  const Weights<double> weights = random_weights(model, 61);
  CHECK_THROWS_AS(plain_loss(model, weights, {{0, 1, 2}, {0, 1, 2}}, 2), std::invalid_argument);
  CHECK_THROWS_AS(plain_loss(model, weights, {{0, 1}, {0}}, 2), std::invalid_argument);
  CHECK_THROWS_AS(plain_step(model, weights, {{0, 5}, {0, 1}}, 2), std::invalid_argument);
}

TEST_SUITE_END();

}  // namespace
