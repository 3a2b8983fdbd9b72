#include "cost/operators.h"

#include "base/count.h"

namespace bta {
namespace {

constexpr std::int64_t norm_flops = 4;        // square, add, scale, gain
constexpr std::int64_t layer_norm_flops = 7;  // and add and subtract for the mean, bias
constexpr std::int64_t rotary_flops = 3;      // two multiplies, one add
constexpr std::int64_t softmax_flops = 5;     // max, subtract, exp, add, divide
constexpr std::int64_t activation_flops = 5;  // silu (exp, add, divide, multiply), multiply by up
constexpr std::int64_t combine_flops = 2;     // scale by the router's weight, add

Operator gemm(std::string_view name, Stage stage, std::int64_t inputs, std::int64_t outputs,
              bool bias = false) {
  return {name, stage, Gemm{inputs, outputs}, product(inputs, outputs) + (bias ? outputs : 0)};
}

Operator vector(std::string_view name, Stage stage, std::int64_t elements, std::int64_t flops,
                std::int64_t gains = 0) {
  return {name, stage, TokenVector{elements, flops}, gains};
}

/// With its gain, and its bias when it has one.
Operator norm(std::string_view name, Stage stage, std::int64_t d, bool bias) {
  return {name, stage, TokenVector{d, bias ? layer_norm_flops : norm_flops, bias}, bias ? 2 * d : d};
}

/// The MLP's; of a parallel layer without a gain, which is attention's.
Operator mlp_norm(const Layer& layer, Stage stage, std::int64_t d) {
  return layer.parallel ? vector("mlp_norm", stage, d, norm_flops)
                        : norm("mlp_norm", stage, d, layer.norm_bias);
}

/// The MLP's norm, run again where its result is needed after the buffer of `mlp_norm` is gone.
Operator norm_again(std::string_view name, const Layer& layer, Stage stage, std::int64_t d) {
  Operator again = mlp_norm(layer, stage, d);
  again.name = name;
  again.parameters = 0;
  again.differentiated = false;
  return again;
}

std::int64_t qk_norm_gains(const GroupedQueryAttention& a) {
  switch (a.qk_norm) {
    case QkNorm::per_head:
      return 2 * a.qk_head_dim;
    case QkNorm::projection:
      return product(a.heads + a.kv_heads, a.qk_head_dim);
    default:
      return 0;
  }
}

void add_scores(std::vector<Operator>& ops, const Attention& attention, std::int64_t dqk, std::int64_t dv,
                const std::optional<Window>& window, bool sinks) {
  const std::int64_t heads = query_heads(attention);
  ops.push_back({"scores", Stage::attention, AttentionProduct{heads, dqk, window}, 0});
  ops.push_back({"softmax", Stage::attention, PairVector{heads, softmax_flops, window}, sinks ? heads : 0});
  ops.push_back({"context", Stage::attention, AttentionProduct{heads, dv, window}, 0});
}

void add_projections(std::vector<Operator>& ops, const GroupedQueryAttention& a, std::int64_t d) {
  using enum Stage;
  const std::int64_t q = product(a.heads, a.qk_head_dim), k = product(a.kv_heads, a.qk_head_dim);
  const std::int64_t v = product(a.kv_heads, a.v_head_dim);
  ops.push_back(gemm("q_proj", attention, d, q, a.qkv_bias));
  ops.push_back(gemm("k_proj", attention, d, k, a.qkv_bias));
  ops.push_back(gemm("v_proj", attention, d, v, a.qkv_bias));
  if (a.qk_norm != QkNorm::none)
    ops.push_back(vector("qk_norm", attention, q + k, norm_flops, qk_norm_gains(a)));
  if (a.rotated() > 0)
    ops.push_back(vector("rotary", attention, product(a.heads + a.kv_heads, a.rotated()), rotary_flops));
  add_scores(ops, a, a.qk_head_dim, a.v_head_dim, a.window, a.sinks);
  ops.push_back(gemm("o_proj", attention, product(a.heads, a.v_head_dim), d, a.output_bias));
}

void add_projections(std::vector<Operator>& ops, const LatentAttention& a, std::int64_t d) {
  using enum Stage;
  const std::int64_t q = product(a.heads, a.qk_head_dim());
  if (a.q_rank > 0) {
    ops.push_back(gemm("q_a_proj", attention, d, a.q_rank, a.bias));
    ops.push_back(norm("q_a_norm", attention, a.q_rank, false));
    ops.push_back(gemm("q_b_proj", attention, a.q_rank, q));
  } else {
    ops.push_back(gemm("q_proj", attention, d, q));
  }
  ops.push_back(gemm("kv_a_proj", attention, d, a.kv_rank + a.rope_head_dim, a.bias));
  ops.push_back(norm("kv_a_norm", attention, a.kv_rank, false));
  ops.push_back(gemm("kv_b_proj", attention, a.kv_rank, product(a.heads, a.nope_head_dim + a.v_head_dim)));
  if (a.rope_head_dim > 0)
    ops.push_back(vector("rotary", attention, product(a.heads + 1, a.rope_head_dim), rotary_flops));
  add_scores(ops, a, a.qk_head_dim(), a.v_head_dim, std::nullopt, false);
  ops.push_back(gemm("o_proj", attention, product(a.heads, a.v_head_dim), d, a.bias));
}

struct MlpNames {
  std::string_view gate, up, activation, down;
};

void add_mlp(std::vector<Operator>& ops, MlpNames names, Stage stage, std::int64_t d, std::int64_t width,
             bool gated, bool bias) {
  if (gated) ops.push_back(gemm(names.gate, stage, d, width, bias));
  ops.push_back(gemm(names.up, stage, d, width, bias));
  ops.push_back(vector(names.activation, stage, width, activation_flops));
  ops.push_back(gemm(names.down, stage, width, d, bias));
}

void add_feed_forward(std::vector<Operator>& ops, const Layer& layer, const DenseMlp& mlp, std::int64_t d) {
  ops.push_back(mlp_norm(layer, Stage::dense_mlp, d));
  add_mlp(ops, {"gate_proj", "up_proj", "activation", "down_proj"}, Stage::dense_mlp, d, mlp.width, mlp.gated,
          mlp.bias);
}

void add_feed_forward(std::vector<Operator>& ops, const Layer& layer, const MoeMlp& moe, std::int64_t d) {
  ops.push_back(mlp_norm(layer, Stage::router, d));
  ops.back().replays = 2;  // backward: before the probabilities, and again before the router's gradient
  ops.push_back(gemm("router", Stage::router, d, moe.experts, moe.router_bias));
  ops.push_back(vector("top_k_softmax", Stage::router, moe.experts, softmax_flops,
                       moe.selection_bias ? moe.experts : 0));
  ops.push_back(norm_again("expert_norm", layer, Stage::expert, d));
  add_mlp(ops, {"expert_gate_proj", "expert_up_proj", "expert_activation", "expert_down_proj"}, Stage::expert,
          d, moe.width, moe.gated, moe.expert_bias);
  ops.push_back(vector("expert_combine", Stage::expert, d, combine_flops));
  ops.back().replays = 0;  // Z is not needed again: the backward pass takes the gradients only
  if (moe.shared_width == 0) return;
  ops.push_back(norm_again("shared_norm", layer, Stage::shared_expert, d));
  if (moe.shared_gate) ops.push_back(gemm("shared_gate", Stage::shared_expert, d, 1));
  add_mlp(ops, {"shared_gate_proj", "shared_up_proj", "shared_activation", "shared_down_proj"},
          Stage::shared_expert, d, moe.shared_width, moe.gated, false);
}

}  // namespace

FlopClass flop_class(const Operator& op) {
  if (std::holds_alternative<Gemm>(op.work)) return FlopClass::gemm;
  if (std::holds_alternative<AttentionProduct>(op.work)) return FlopClass::attention;
  return FlopClass::vector;
}

std::vector<Operator> layer_operators(const Layer& layer, std::int64_t hidden) {
  std::vector<Operator> ops;
  ops.push_back(norm("attention_norm", Stage::attention, hidden, layer.norm_bias));
  std::visit([&](const auto& attention) { add_projections(ops, attention, hidden); }, layer.attention);
  std::visit([&](const auto& mlp) { add_feed_forward(ops, layer, mlp, hidden); }, layer.feed_forward);
  return ops;
}

std::vector<Operator> head_operators(const Model& model) {
  return {norm("final_norm", Stage::head, model.hidden, model.norm_bias),
          gemm("lm_head", Stage::head, model.hidden, model.vocabulary, model.head_bias),
          vector("cross_entropy", Stage::head, model.vocabulary, softmax_flops)};
}

}  // namespace bta
