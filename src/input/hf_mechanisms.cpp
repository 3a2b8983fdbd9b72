#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "input/hf_config.h"
#include "input/quoted.h"

namespace bta {
namespace {

/// Parts of key names that hint at parameters or operations beyond the known families'.
constexpr std::array hints{
    "lora_rank",
    "latent",
    "head_dim",
    "key_value_heads",
    "kv_heads",
    "kv_shared",
    "linear_",
    "mamba",
    "ssm",
    "conv",
    "rnn",
    "lru_",
    "recurrent",
    "hybrid",
    "attn_type",
    "attention_type",
    "attn_layer",
    "attention_layer",
    "full_attention",
    "sparse_attention",
    "layer_type",
    "layer_pattern",
    "block_pattern",
    "layers_block",
    "block_type",
    "cross_attention",
    "encoder",
    "chunk",
    "window",
    "sliding",
    "sink",
    "expert",
    "moe_layer",
    "moe_every",
    "layer_freq",
    "layer_period",
    "layer_interval",
    "layer_step",
    "sparse_step",
    "mlp_only",
    "dense",
    "nextn",
    "mtp",
    "bias",
    "qk_norm",
    "qk_layernorm",
    "intermediate_size",
    "residual_mlp",
    "parallel_attn",
    "parallel_residual",
    "altup",
    "laurel",
    "per_layer",
    "pruned_heads",
    "output_gate",
    "use_mla",
    "index_topk",
    "lightning",
    "global_attn",
    "full_attn",
    "share_layers",
    "gated_mlp",
    "sandwich",
    "moe_hidden",
    "query_group",
    "key_value_groups",
    "n_head",
    "n_layer",
    "n_embd",
    "d_model",
};

/// Hinting names of no consequence: a bound for windows, which are refused themselves when in use, and
/// another word for the longest sequence.
constexpr std::array harmless{"max_window_layers", "context_window"};

/// Schedules that say "every layer".
constexpr std::array every_layer{"moe_layer_freq", "decoder_sparse_step", "interleave_moe_layer_step"};

template <class Names>
bool holds(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool hints_at_mechanism(std::string_view key) {
  return std::any_of(hints.begin(), hints.end(),
                     [key](std::string_view hint) { return key.find(hint) != std::string_view::npos; });
}

/// null, false, zero, and empty text, lists and maps switch nothing on.
bool is_active(const Node& node) {
  if (node.kind == Node::Kind::null) return false;
  if (node.kind != Node::Kind::scalar) return !node.children.empty();
  const Parsed<double> number = parse_real(node.text, {0, 0});
  return !node.text.empty() && node.text != "false" && !number;
}

std::string shown_value(const Node& node) {
  return node.kind == Node::Kind::scalar ? in_quotes(node.text) : shown(node);
}

void refuse(Reader& reader, const HfFamily& family, const Node& node) {
  reader.log().problem(
      node, node.key,
      fmt::format("{} is {}: this changes the arithmetic in a way that is not known here for {}, so "
                  "the file is refused",
                  in_quotes(node.key), shown_value(node), family.model_type));
}

void check_window(Reader& reader, const HfFamily& family) {
  const Node* const window = reader.take("sliding_window");
  if (!family.window_needs_flag) {
    if (window != nullptr && is_active(*window)) refuse(reader, family, *window);
    return;
  }
  if (reader.boolean("use_sliding_window", Need::optional).value_or(false)) {
    refuse(reader, family, *reader.take("use_sliding_window"));
  }
}

void check_layer_types(Reader& reader, const HfFamily& family) {
  const Node* const types = reader.take("layer_types");
  if (types == nullptr) return;
  const auto is_full = [](const Node& type) {
    return type.kind == Node::Kind::scalar && type.text == "full_attention";
  };
  if (types->kind != Node::Kind::sequence) return refuse(reader, family, *types);
  const auto other = std::find_if_not(types->children.begin(), types->children.end(), is_full);
  if (other == types->children.end()) return;
  reader.log().problem(
      *other, "layer_types",
      fmt::format("{} is not supported; every layer must be 'full_attention'", shown(*other)));
}

void check_activation(Reader& reader, std::vector<std::string>& notes) {
  constexpr std::array known{"silu", "swish", "swiglu"};
  constexpr std::array others{"gelu",        "gelu_new",   "gelu_fast", "gelu_pytorch_tanh",
                              "gelu_python", "quick_gelu", "relu",      "relu2"};
  const auto activation = reader.text("hidden_act", Need::optional);
  if (!activation || holds(known, *activation)) return;
  if (holds(others, *activation)) {
    notes.push_back(fmt::format("hidden_act {}: matrices counted as for silu (gate, up and down)",
                                in_quotes(*activation)));
    return;
  }
  reader.problem(
      "hidden_act",
      fmt::format(
          "{} is not an activation known here; known: silu, swish, swiglu, and gelu, relu and their variants",
          in_quotes(*activation)));
}

void note_left_out(Reader& reader, std::vector<std::string>& notes) {
  if (reader.take("quantization_config") != nullptr) {
    notes.emplace_back("quantization_config: left out; parameters are counted, not stored bits");
  }
}

}  // namespace

void refuse_unknown_mechanisms(Reader& reader, const HfFamily& family, std::vector<std::string>& notes) {
  check_window(reader, family);
  check_layer_types(reader, family);
  check_activation(reader, notes);
  note_left_out(reader, notes);
  for (const Node* node : reader.unread()) {
    const bool neutral = holds(harmless, node->key) || (holds(every_layer, node->key) && node->text == "1");
    if (hints_at_mechanism(node->key) && is_active(*node) && !neutral) refuse(reader, family, *node);
  }
}

}  // namespace bta
