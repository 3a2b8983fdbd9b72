#include "input/model_hash.h"

#include <fmt/format.h>

#include "input/node.h"

namespace bta {
namespace {

/// "name=value;" when the value is not 0 or false.
void add(std::string& text, std::string_view name, std::int64_t value) {
  if (value != 0) text += fmt::format("{}={};", name, value);
}

void add(std::string& text, const GroupedQueryAttention& a) {
  add(text, "heads", a.heads);
  add(text, "kv_heads", a.kv_heads);
  add(text, "qk_head_dim", a.qk_head_dim);
  add(text, "v_head_dim", a.v_head_dim);
  add(text, "qk_norm", static_cast<std::int64_t>(a.qk_norm));
  add(text, "qkv_bias", a.qkv_bias);
  add(text, "output_bias", a.output_bias);
  add(text, "sinks", a.sinks);
  add(text, "not_rotated", a.qk_head_dim - a.rotated());
  if (a.window) add(text, a.window->chunked ? "chunk" : "window", a.window->keys);
}

void add(std::string& text, const LatentAttention& a) {
  add(text, "latent_heads", a.heads);
  add(text, "q_rank", a.q_rank);
  add(text, "kv_rank", a.kv_rank);
  add(text, "nope_head_dim", a.nope_head_dim);
  add(text, "rope_head_dim", a.rope_head_dim);
  add(text, "v_head_dim", a.v_head_dim);
  add(text, "bias", a.bias);
}

void add(std::string& text, const DenseMlp& mlp) {
  add(text, "dense_width", mlp.width);
  add(text, "not_gated", !mlp.gated);
  add(text, "bias", mlp.bias);
}

void add(std::string& text, const MoeMlp& moe) {
  add(text, "experts", moe.experts);
  add(text, "top_k", moe.top_k);
  add(text, "width", moe.width);
  add(text, "not_gated", !moe.gated);
  add(text, "shared_width", moe.shared_width);
  add(text, "shared_gate", moe.shared_width > 0 && moe.shared_gate);
  add(text, "router_bias", moe.router_bias);
  add(text, "selection_bias", moe.selection_bias);
  add(text, "expert_bias", moe.expert_bias);
}

std::string canonical(const Layer& layer) {
  std::string text = "attention{";
  std::visit([&](const auto& a) { add(text, a); }, layer.attention);
  text += "}mlp{";
  std::visit([&](const auto& mlp) { add(text, mlp); }, layer.feed_forward);
  text += "}";
  add(text, "norm_bias", layer.norm_bias);
  add(text, "parallel", layer.parallel);
  add(text, "post_norms", layer.post_norms);
  return text;
}

std::string canonical(const Model& model) {
  std::string text;
  add(text, "hidden", model.hidden);
  add(text, "vocabulary", model.vocabulary);
  add(text, "tied_embeddings", model.tied_embeddings);
  add(text, "positions", model.positions);
  add(text, "norm_bias", model.norm_bias);
  add(text, "head_bias", model.head_bias);
  for (const Layer& layer : model.layers) text += fmt::format("layer{{{}}}", canonical(layer));
  for (const ModelPart& part : model.beside)
    text += fmt::format("beside{{{}:{}={}}}", part.name.size(), part.name, part.parameters);
  return text;
}

}  // namespace

std::string content_hash(const Model& model) {
  return sha256(canonical(model));
}

}  // namespace bta
