#include <algorithm>

#include "input/model_shape.h"
#include "input/model_yaml_parts.h"

namespace bta {
namespace {

/// Keys that only a model with num_experts may have.
std::vector<std::string_view> moe_keys() {
  return {"top_k",
          "moe_intermediate_size",
          "shared_expert_intermediate_size",
          "shared_expert_gate",
          "router_bias",
          "router_selection_bias",
          "expert_bias",
          "dense_layers"};
}

DenseMlp read_dense_mlp(Reader& reader, bool gated) {
  DenseMlp mlp;
  mlp.width = reader.integer("intermediate_size", width_range).value_or(1);
  mlp.gated = gated;
  mlp.bias = read_flag(reader, "mlp_bias");
  return mlp;
}

MoeMlp read_moe_mlp(Reader& reader, bool gated) {
  MoeMlp moe;
  const auto experts = reader.integer("num_experts", expert_range);
  moe.experts = experts.value_or(1);
  moe.top_k = read_top_k(reader, "top_k", "num_experts", experts).value_or(1);
  moe.width = reader.integer("moe_intermediate_size", width_range).value_or(1);
  moe.gated = gated;
  moe.shared_width =
      reader.integer("shared_expert_intermediate_size", {0, width_range.max}, Need::optional).value_or(0);
  moe.shared_gate = read_flag(reader, "shared_expert_gate");
  moe.router_bias = read_flag(reader, "router_bias");
  moe.selection_bias = read_flag(reader, "router_selection_bias");
  moe.expert_bias = read_flag(reader, "expert_bias");
  if (moe.shared_gate && moe.shared_width == 0) {
    refuse_without_effect(reader, {"shared_expert_gate"}, "shared_expert_intermediate_size is absent or 0");
  }
  return moe;
}

/// MoE everywhere but in the layers that `dense_layers` lists.
std::vector<FeedForward> read_moe_layers(Reader& reader, std::optional<std::int64_t> layers, bool gated) {
  const MoeMlp moe = read_moe_mlp(reader, gated);
  std::vector<FeedForward> mlps(static_cast<std::size_t>(layers.value_or(1)), moe);
  const std::vector<bool> is_dense = read_layer_list(reader, "dense_layers", layers, false);
  if (!reader.has_items("dense_layers")) {
    refuse_without_effect(reader, {"intermediate_size", "mlp_bias"},
                          "dense_layers lists no layer with a dense MLP");
    return mlps;
  }
  const DenseMlp dense = read_dense_mlp(reader, gated);
  for (std::size_t i = 0; i < mlps.size(); ++i)
    if (is_dense[i]) mlps[i] = dense;
  return mlps;
}

std::vector<FeedForward> read_dense_layers(Reader& reader, std::optional<std::int64_t> layers, bool gated) {
  reader.take("num_experts");
  refuse_without_effect(reader, moe_keys(), "num_experts is absent, so every layer has a dense MLP");
  return std::vector<FeedForward>(static_cast<std::size_t>(layers.value_or(1)),
                                  read_dense_mlp(reader, gated));
}

/// By num_experts; where it is missing, by what else was written.
bool describes_moe(const Reader& reader) {
  const std::vector<std::string_view> keys = moe_keys();
  const bool hints =
      std::any_of(keys.begin(), keys.end(), [&](std::string_view key) { return reader.has(key); });
  return reader.has("num_experts") || (hints && !reader.has("intermediate_size"));
}

}  // namespace

std::vector<FeedForward> read_mlps(Reader& reader, std::optional<std::int64_t> layers) {
  const bool gated = reader.boolean("gated", Need::optional).value_or(true);
  return describes_moe(reader) ? read_moe_layers(reader, layers, gated)
                               : read_dense_layers(reader, layers, gated);
}

}  // namespace bta
