#include "cost/operators.h"

#include "base/count.h"

namespace bta {
namespace {

constexpr std::int64_t norm_flops = 4;        // square, add, scale, gain
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

/// The MLP's norm, run again where its result is needed after the buffer of `mlp_norm` is gone.
Operator norm_again(std::string_view name, Stage stage, std::int64_t d) {
  return {name, stage, TokenVector{d, norm_flops}, 0, false};
}

void add_attention(std::vector<Operator>& ops, const GroupedQueryAttention& a, std::int64_t d) {
  using enum Stage;
  const std::int64_t q = product(a.heads, a.qk_head_dim), k = product(a.kv_heads, a.qk_head_dim);
  const std::int64_t v = product(a.kv_heads, a.v_head_dim), context = product(a.heads, a.v_head_dim);
  ops.push_back(vector("attention_norm", attention, d, norm_flops, d));
  ops.push_back(gemm("q_proj", attention, d, q, a.qkv_bias));
  ops.push_back(gemm("k_proj", attention, d, k, a.qkv_bias));
  ops.push_back(gemm("v_proj", attention, d, v, a.qkv_bias));
  if (a.qk_norm != QkNorm::none)
    ops.push_back(vector("qk_norm", attention, q + k, norm_flops,
                         a.qk_norm == QkNorm::per_head ? 2 * a.qk_head_dim : q + k));
  ops.push_back(vector("rotary", attention, q + k, rotary_flops));
  ops.push_back({"scores", attention, AttentionProduct{a.heads, a.qk_head_dim, a.window}, 0});
  ops.push_back({"softmax", attention, PairVector{a.heads, softmax_flops, a.window}, 0});
  ops.push_back({"context", attention, AttentionProduct{a.heads, a.v_head_dim, a.window}, 0});
  ops.push_back(gemm("o_proj", attention, context, d, a.output_bias));
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

void add_feed_forward(std::vector<Operator>& ops, const DenseMlp& mlp, std::int64_t d) {
  ops.push_back(vector("mlp_norm", Stage::dense_mlp, d, norm_flops, d));
  add_mlp(ops, {"gate_proj", "up_proj", "activation", "down_proj"}, Stage::dense_mlp, d, mlp.width, mlp.gated,
          mlp.bias);
}

void add_feed_forward(std::vector<Operator>& ops, const MoeMlp& moe, std::int64_t d) {
  ops.push_back(vector("mlp_norm", Stage::router, d, norm_flops, d));
  ops.back().replays = 2;  // backward: before the probabilities, and again before the router's gradient
  ops.push_back(gemm("router", Stage::router, d, moe.experts));
  ops.push_back(vector("top_k_softmax", Stage::router, moe.experts, softmax_flops));
  ops.push_back(norm_again("expert_norm", Stage::expert, d));
  add_mlp(ops, {"expert_gate_proj", "expert_up_proj", "expert_activation", "expert_down_proj"}, Stage::expert,
          d, moe.width, moe.gated, false);
  ops.push_back(vector("expert_combine", Stage::expert, d, combine_flops));
  ops.back().replays = 0;  // Z is not needed again: the backward pass takes the gradients only
  if (moe.shared_width == 0) return;
  ops.push_back(norm_again("shared_norm", Stage::shared_expert, d));
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
  std::visit([&](const auto& attention) { add_attention(ops, attention, hidden); }, layer.attention);
  std::visit([&](const auto& mlp) { add_feed_forward(ops, mlp, hidden); }, layer.feed_forward);
  return ops;
}

std::vector<Operator> head_operators(const Model& model) {
  return {vector("final_norm", Stage::head, model.hidden, norm_flops, model.hidden),
          gemm("lm_head", Stage::head, model.hidden, model.vocabulary),
          vector("cross_entropy", Stage::head, model.vocabulary, softmax_flops)};
}

}  // namespace bta
