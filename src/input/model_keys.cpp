#include "input/model_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/qk_norm.h"

namespace bta {
namespace {

void add(ModelKeys& keys, std::string_view key, std::int64_t value) {
  keys.emplace_back(key, fmt::format("{}", value));
}

void add_unless(ModelKeys& keys, std::string_view key, std::int64_t value, std::int64_t usual) {
  if (value != usual) add(keys, key, value);
}

void add_flag(ModelKeys& keys, std::string_view key, bool value) {
  if (value) keys.emplace_back(key, "true");
}

ModelKeys keys(const GroupedQueryAttention& a) {
  ModelKeys keys;
  add(keys, "num_heads", a.heads);
  add(keys, "num_kv_heads", a.kv_heads);
  add(keys, "head_dim", a.qk_head_dim);
  add_unless(keys, "v_head_dim", a.v_head_dim, a.qk_head_dim);
  add_unless(keys, "rotary_dim", a.rotated(), a.qk_head_dim);
  if (a.qk_norm != QkNorm::none) keys.emplace_back("qk_norm", qk_norm_name(a.qk_norm));
  add_flag(keys, "qkv_bias", a.qkv_bias);
  add_flag(keys, "attention_output_bias", a.output_bias);
  add_flag(keys, "attention_sinks", a.sinks);
  return keys;
}

ModelKeys keys(const LatentAttention& a) {
  ModelKeys keys;
  add(keys, "num_heads", a.heads);
  add_unless(keys, "q_lora_rank", a.q_rank, 0);
  add(keys, "kv_lora_rank", a.kv_rank);
  add(keys, "qk_nope_head_dim", a.nope_head_dim);
  add(keys, "qk_rope_head_dim", a.rope_head_dim);
  add(keys, "v_head_dim", a.v_head_dim);
  add_flag(keys, "latent_bias", a.bias);
  return keys;
}

ModelKeys keys(const DenseMlp& mlp) {
  ModelKeys keys;
  add(keys, "intermediate_size", mlp.width);
  add_flag(keys, "mlp_bias", mlp.bias);
  return keys;
}

ModelKeys keys(const MoeMlp& moe) {
  ModelKeys keys;
  add(keys, "num_experts", moe.experts);
  add(keys, "top_k", moe.top_k);
  add(keys, "moe_intermediate_size", moe.width);
  add_unless(keys, "shared_expert_intermediate_size", moe.shared_width, 0);
  add_flag(keys, "shared_expert_gate", moe.shared_gate);
  add_flag(keys, "router_bias", moe.router_bias);
  add_flag(keys, "router_selection_bias", moe.selection_bias);
  add_flag(keys, "expert_bias", moe.expert_bias);
  return keys;
}

}  // namespace

ModelKeys keys_of(const Attention& attention) {
  return std::visit([](const auto& a) { return keys(a); }, attention);
}

ModelKeys keys_of(const FeedForward& mlp) {
  return std::visit([](const auto& m) { return keys(m); }, mlp);
}

bool is_gated(const FeedForward& mlp) {
  return std::visit([](const auto& m) { return m.gated; }, mlp);
}

ModelKeys norm_keys_of(const Layer& layer) {
  ModelKeys keys;
  add_flag(keys, "norm_bias", layer.norm_bias);
  add_flag(keys, "parallel_block", layer.parallel);
  add_flag(keys, "post_norms", layer.post_norms);
  return keys;
}

ModelKeys head_keys_of(const Model& model) {
  ModelKeys keys;
  add(keys, "vocab_size", model.vocabulary);
  keys.emplace_back("tie_embeddings", model.tied_embeddings ? "true" : "false");
  add_unless(keys, "position_embeddings", model.positions, 0);
  add_flag(keys, "lm_head_bias", model.head_bias);
  for (const ModelPart& part : model.beside)
    add(keys, part.name == "MTP" ? "mtp_parameters" : "vision_parameters", part.parameters);
  return keys;
}

std::string_view first_difference(const ModelKeys& one, const ModelKeys& other) {
  for (const auto& [these, those] : {std::pair(&one, &other), {&other, &one}})
    for (const auto& key : *these)
      if (std::ranges::count(*those, key) == 0) return key.first;
  return "";
}

}  // namespace bta
