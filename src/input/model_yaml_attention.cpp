#include <fmt/format.h>

#include <algorithm>

#include "input/model_shape.h"
#include "input/model_yaml_parts.h"
#include "model/qk_norm.h"

namespace bta {
namespace {

std::optional<std::int64_t> read_rotary_dim(Reader& reader, std::int64_t head_size) {
  const auto rotated = reader.integer("rotary_dim", {0, head_size_range.max}, Need::optional);
  if (!rotated || *rotated == head_size) return {};
  if (*rotated > head_size)
    reader.problem(
        "rotary_dim",
        fmt::format("rotary_dim = {} is more than head_dim = {}; give at most head_dim, or leave it "
                    "out: then whole heads are rotated",
                    *rotated, head_size));
  return rotated;
}

QkNorm read_qk_norm(Reader& reader) {
  std::vector<std::string> names;
  for (const QkNorm norm : qk_norms) names.emplace_back(qk_norm_name(norm));
  return qk_norms.at(reader.choice("qk_norm", names, Need::optional).value_or(0));
}

GroupedQueryAttention read_grouped_query(Reader& reader, std::optional<std::int64_t> hidden,
                                         std::vector<std::string>& notes) {
  constexpr HeadKeys keys{"hidden_size", "num_heads", "num_kv_heads", "head_dim"};
  const auto known = read_heads(reader, keys, hidden, notes);
  const Heads heads = known.value_or(Heads{1, 1, head_size_range.max});
  GroupedQueryAttention attention;
  attention.heads = heads.heads;
  attention.kv_heads = heads.kv_heads;
  attention.qk_head_dim = heads.head_size;
  attention.v_head_dim =
      reader.integer("v_head_dim", head_size_range, Need::optional).value_or(heads.head_size);
  attention.rotary_dim = read_rotary_dim(reader, heads.head_size);
  attention.qk_norm = read_qk_norm(reader);
  attention.qkv_bias = read_flag(reader, "qkv_bias");
  attention.output_bias = read_flag(reader, "attention_output_bias");
  attention.sinks = read_flag(reader, "attention_sinks");
  return attention;
}

struct WindowKeys {
  std::string_view size, layers;
  bool chunked;
};
constexpr WindowKeys sliding_keys{"sliding_window", "sliding_window_layers", false};
constexpr WindowKeys chunked_keys{"attention_chunk_size", "chunked_layers", true};

void read_window(Reader& reader, const WindowKeys& keys, std::optional<std::int64_t> layers,
                 std::vector<GroupedQueryAttention>& attentions) {
  const auto size = reader.integer(keys.size, window_range, Need::optional);
  if (!reader.has(keys.size))
    return refuse_without_effect(reader, {keys.layers},
                                 fmt::format("{} is absent; give it, or leave the list out", keys.size));
  const std::vector<bool> holds = read_layer_list(reader, keys.layers, layers, true);
  std::optional<std::size_t> both;
  for (std::size_t i = 0; size && i < attentions.size(); ++i) {
    if (!holds[i]) continue;
    if (attentions[i].window && !both) both = i;
    attentions[i].window = Window{*size, keys.chunked};
  }
  if (both)
    reader.problem(
        keys.size,
        fmt::format("{} and {} both hold for layer {}; keep one of them, or give each its own layers "
                    "in {} and {}",
                    sliding_keys.size, chunked_keys.size, *both, sliding_keys.layers, chunked_keys.layers));
}

/// Layers without rotary embedding and without q/k norm.
void read_nope_layers(Reader& reader, std::optional<std::int64_t> layers,
                      std::vector<GroupedQueryAttention>& attentions) {
  const std::vector<bool> holds = read_layer_list(reader, "nope_layers", layers, false);
  if (!reader.has_items("nope_layers")) return;
  const GroupedQueryAttention& usual = attentions.front();
  if (usual.rotated() == 0 && usual.qk_norm == QkNorm::none)
    return refuse_without_effect(reader, {"nope_layers"},
                                 "rotary_dim is 0 and qk_norm is none in every layer; leave the list out");
  if (std::ranges::count(holds, false) == 0)
    return reader.problem(
        "nope_layers",
        "nope_layers lists every layer; write rotary_dim: 0 and leave qk_norm and the list out");
  for (std::size_t i = 0; i < attentions.size(); ++i) {
    if (!holds[i]) continue;
    attentions[i].rotary_dim = 0;
    attentions[i].qk_norm = QkNorm::none;
  }
}

LatentAttention read_latent(Reader& reader) {
  refuse_without_effect(reader,
                        {"num_kv_heads", "head_dim", "rotary_dim", "qk_norm", "qkv_bias",
                         "attention_output_bias", "attention_sinks", "sliding_window",
                         "sliding_window_layers", "attention_chunk_size", "chunked_layers", "nope_layers"},
                        "kv_lora_rank is given, so attention is latent; leave it out");
  constexpr IntegerRange head_part_range{0, head_size_range.max};
  LatentAttention attention;
  attention.heads = reader.integer("num_heads", head_range).value_or(1);
  attention.kv_rank = reader.integer("kv_lora_rank", width_range).value_or(1);
  attention.q_rank = reader.integer("q_lora_rank", width_range, Need::optional).value_or(0);
  attention.nope_head_dim = reader.integer("qk_nope_head_dim", head_part_range).value_or(1);
  attention.rope_head_dim = reader.integer("qk_rope_head_dim", head_part_range).value_or(1);
  attention.v_head_dim = reader.integer("v_head_dim", head_size_range).value_or(1);
  attention.bias = read_flag(reader, "latent_bias");
  if (attention.qk_head_dim() == 0)
    reader.problem(
        "qk_nope_head_dim",
        "qk_nope_head_dim and qk_rope_head_dim are both 0; queries and keys need a size, so give at "
        "least one of them");
  return attention;
}

}  // namespace

std::vector<Attention> read_attentions(Reader& reader, std::optional<std::int64_t> hidden,
                                       std::optional<std::int64_t> layers, std::vector<std::string>& notes) {
  const auto count = static_cast<std::size_t>(layers.value_or(1));
  if (reader.has("kv_lora_rank")) return std::vector<Attention>(count, read_latent(reader));
  reader.take("kv_lora_rank");
  refuse_without_effect(reader, {"q_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "latent_bias"},
                        "kv_lora_rank is absent, so attention is not latent; give it, or leave this out");
  std::vector<GroupedQueryAttention> attentions(count, read_grouped_query(reader, hidden, notes));
  read_window(reader, sliding_keys, layers, attentions);
  read_window(reader, chunked_keys, layers, attentions);
  read_nope_layers(reader, layers, attentions);
  return {attentions.begin(), attentions.end()};
}

}  // namespace bta
