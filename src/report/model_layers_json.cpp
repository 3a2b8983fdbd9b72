#include "model/qk_norm.h"
#include "report/model_layers.h"

namespace bta {
namespace {

Json or_null(std::int64_t value) {
  return value > 0 ? Json(value) : Json();
}

void add_json(Json& json, const GroupedQueryAttention& a) {
  const bool chunked = a.window && a.window->chunked;
  json["kv_heads"] = a.kv_heads;
  json["qk_head_dim"] = a.qk_head_dim;
  json["rotary_dim"] = a.rotated();
  json["sliding_window"] = a.window && !chunked ? Json(a.window->keys) : Json();
  json["attention_chunk_size"] = chunked ? Json(a.window->keys) : Json();
  json["qk_norm"] = qk_norm_name(a.qk_norm);
  json["qkv_bias"] = a.qkv_bias;
  json["output_bias"] = a.output_bias;
  json["sinks"] = a.sinks;
}

void add_json(Json& json, const LatentAttention& a) {
  json["q_rank"] = or_null(a.q_rank);
  json["kv_rank"] = a.kv_rank;
  json["qk_head_dim"] = a.qk_head_dim();
  json["nope_head_dim"] = a.nope_head_dim;
  json["rotary_dim"] = json["rope_head_dim"] = a.rope_head_dim;
  json["qkv_bias"] = false;
  json["latent_bias"] = json["output_bias"] = a.bias;
}

void add_json(Json& json, const DenseMlp& mlp) {
  json["dense_width"] = mlp.width;
  json["mlp_bias"] = mlp.bias;
}

void add_json(Json& json, const MoeMlp& moe) {
  json["experts"] = moe.experts;
  json["top_k"] = moe.top_k;
  json["expert_width"] = moe.width;
  json["shared_width"] = or_null(moe.shared_width);
  json["shared_gate"] = moe.shared_gate;
  json["router_bias"] = moe.router_bias;
  json["selection_bias"] = moe.selection_bias;
  json["expert_bias"] = moe.expert_bias;
}

/// Every key, absent ones null, so that a table can be made of all kinds.
Json layer_json(const Layer& layer) {
  Json json = Json::object();
  json["attention"] = attention_name(layer.attention);
  json["heads"] = query_heads(layer.attention);
  for (const char* const key : {"kv_heads",
                                "q_rank",
                                "kv_rank",
                                "qk_head_dim",
                                "v_head_dim",
                                "nope_head_dim",
                                "rope_head_dim",
                                "rotary_dim",
                                "qk_norm",
                                "sliding_window",
                                "attention_chunk_size",
                                "sinks",
                                "qkv_bias",
                                "output_bias",
                                "latent_bias",
                                "feed_forward",
                                "experts",
                                "top_k",
                                "expert_width",
                                "shared_width",
                                "shared_gate",
                                "dense_width",
                                "gated",
                                "router_bias",
                                "selection_bias",
                                "expert_bias",
                                "mlp_bias"})
    json[key] = nullptr;
  std::visit(
      [&](const auto& a) {
        json["v_head_dim"] = a.v_head_dim;
        add_json(json, a);
      },
      layer.attention);
  json["feed_forward"] = std::holds_alternative<MoeMlp>(layer.feed_forward) ? "moe" : "dense";
  std::visit(
      [&](const auto& mlp) {
        json["gated"] = mlp.gated;
        add_json(json, mlp);
      },
      layer.feed_forward);
  json["norm_bias"] = layer.norm_bias;
  json["parallel"] = layer.parallel;
  json["post_norms"] = layer.post_norms;
  return json;
}

}  // namespace

Json layer_kinds_json(const Model& model) {
  Json kinds = Json::array();
  for (const LayerKind& kind : layer_kinds(model)) {
    Json json = {{"layers", kind.count}, {"positions", Json::array()}};
    for (std::size_t i = 0; i < model.layers.size(); ++i)
      if (model.layers[i] == kind.layer) json["positions"].push_back(i);
    json.update(layer_json(kind.layer));
    kinds.push_back(std::move(json));
  }
  return kinds;
}

}  // namespace bta
