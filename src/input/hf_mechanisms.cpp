#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/split.h"
#include "input/hf_file.h"
#include "input/quoted.h"

namespace bta {
namespace {

/// Hinting names of no consequence: another word for the longest sequence, and where a window that is
/// not in use would begin.
constexpr std::array harmless{"max_window_layers", "context_window"};

/// What else is said of MTP that is left out of every number.
constexpr std::array of_mtp{"mtp_transformer_layers", "mtp_loss_scaling_factor"};

/// Schedules that say "every layer", and scales that change nothing.
constexpr std::array one_is_neutral{"moe_layer_freq",
                                    "decoder_sparse_step",
                                    "interleave_moe_layer_step",
                                    "full_attention_interval",
                                    "full_attn_mod",
                                    "rotary_pct",
                                    "layernorm_full_attention_alpha",
                                    "layernorm_full_attention_beta",
                                    "layernorm_linear_attention_alpha",
                                    "layernorm_linear_attention_beta"};

/// A switch that is off takes these with it; one that is on, and that no family's rule read, is refused.
struct Dependents {
  std::string_view key;
  std::array<std::string_view, 5> of;
};
constexpr std::array dependents{
    Dependents{"use_sliding_window", {"sliding_window"}},
    Dependents{"use_cla", {"cla_share_factor"}},
    Dependents{"use_mla",
               {"kv_lora_rank", "q_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"}},
};

template <class Names>
bool holds(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_one(const Node& node) {
  const Parsed<std::int64_t> number = parse_integer(node.text, {1, 1});
  return number.has_value();
}

void refuse(const HfFile& file, const Node& node) {
  file.reader.log().problem(
      node, node.key,
      fmt::format("{} is {}: this changes the arithmetic in a way that is not known here for {}, so "
                  "the file is refused",
                  in_quotes(node.key), written(node), file.family.model_type));
}

void check_demands(const HfFile& file) {
  for (const HfDemand& demand : file.family.demands) {
    const Node* const node = demand.key.empty() ? nullptr : file.reader.take(demand.key);
    if (node == nullptr) continue;
    const std::vector<std::string> allowed = split(demand.values, ' ');
    if (!holds(allowed, node->text))
      file.reader.problem(demand.key, fmt::format("{} is not one of {}, which {} has", shown(*node),
                                                  joined(allowed), file.family.model_type));
  }
}

/// attn_type_list: 1 is full attention.
void check_attention_types(const HfFile& file, std::size_t layers) {
  constexpr std::string_view key = "attn_type_list";
  const Node* const types = file.reader.take(key);
  if (types == nullptr) return;
  const auto is = [](const Node& type, std::string_view text) { return !type.quoted && type.text == text; };
  const auto& list = types->children;
  const bool known =
      std::all_of(list.begin(), list.end(), [&](const Node& type) { return is(type, "0") || is(type, "1"); });
  if (types->kind != Node::Kind::sequence || list.size() != layers || !known) {
    file.reader.problem(
        key, fmt::format("'{}' must be a list of {} entries, one a layer, each 0 or 1", key, layers));
    return;
  }
  const auto others =
      std::count_if(list.begin(), list.end(), [&](const Node& type) { return is(type, "0"); });
  if (others > 0)
    file.reader.problem(key, fmt::format("{} of {} layers are not 1 (full attention) but lightning linear "
                                         "attention: its cost is not modelled",
                                         others, layers));
}

void take_dependents(const HfFile& file) {
  for (const Dependents& group : dependents) {
    const bool read = holds(file.reader.asked(), group.key);
    const Node* const flag = file.reader.take(group.key);
    if (flag == nullptr || read) continue;
    if (is_active(*flag)) refuse(file, *flag);
    for (const std::string_view key : group.of)
      if (!key.empty()) file.reader.take(key);
  }
}

void check_activation(const HfFile& file) {
  constexpr std::array known{"silu", "swish", "swiglu"};
  constexpr std::array others{"gelu",        "gelu_new",   "gelu_fast", "gelu_pytorch_tanh",
                              "gelu_python", "quick_gelu", "relu",      "relu2"};
  const std::string_view key = file.spelling(hf_keys::activation);
  const auto activation = file.reader.text(key, Need::optional);
  if (!activation || holds(known, *activation)) return;
  if (!holds(others, *activation)) {
    file.reader.problem(key, fmt::format("{} is not an activation known here; known: silu, swish, swiglu, "
                                         "and gelu, relu and their variants",
                                         in_quotes(*activation)));
  } else if (file.family.gated) {
    file.notes.push_back(fmt::format("{} is {}: matrices counted as for silu (gate, up and down)", key,
                                     in_quotes(*activation)));
  }
}

void note_left_out(const HfFile& file) {
  if (file.reader.take("quantization_config") != nullptr) {
    file.notes.emplace_back("quantization_config: left out; parameters are counted, not stored bits");
  }
}

bool is_neutral(const HfFile& file, const Node& node) {
  if (!is_active(node) || !hints_at_mechanism(node.key)) return true;
  constexpr std::array rms{"rms", "rmsnorm", "rms_norm", "hf_rms"};
  const bool usual = (node.key == "position_embedding_type" && node.text == "rope") ||
                     (node.key == "norm_type" && holds(rms, node.text));
  const bool part = file.family.mtp == HfMtp::noted && holds(of_mtp, node.key);
  return usual || part || holds(harmless, node.key) || holds(file.family.harmless, node.key) ||
         (holds(one_is_neutral, node.key) && is_one(node));
}

/// What stands around text_config and is not asked for is of the other parts.
bool is_of_wrapper(const HfFile& file, const Node& node) {
  const Node* const outer = file.wrapper != nullptr ? find(*file.wrapper, node.key) : nullptr;
  return outer != nullptr && outer->at == node.at;
}

/// A map with sizes of a language model or of experts: nothing in it would be read.
bool is_model_part(const Node& node) {
  constexpr std::array known{"attn_config", "ffn_config", "vision_config"};
  if (node.kind != Node::Kind::map || holds(known, node.key)) return false;
  const auto is_size = [](const Node& child) {
    const auto parts = {&hf_keys::hidden,   &hf_keys::layers,       &hf_keys::heads,
                        &hf_keys::kv_heads, &hf_keys::head_size,    &hf_keys::top_k,
                        &hf_keys::experts,  &hf_keys::expert_width, &hf_keys::shared_experts};
    return std::any_of(parts.begin(), parts.end(),
                       [&](const Spellings* names) { return holds(*names, child.key); });
  };
  return std::any_of(node.children.begin(), node.children.end(), is_size);
}

/// Rotary positions that a family always has.
bool is_switched_off(const Node& node) {
  return node.key == "use_rope" && !is_active(node) && node.kind != Node::Kind::null;
}

}  // namespace

bool is_active(const Node& node) {
  if (node.kind == Node::Kind::null) return false;
  if (node.kind != Node::Kind::scalar) return !node.children.empty();
  const Parsed<double> number = parse_real(node.text, {0, 0});
  return !node.text.empty() && node.text != "false" && !number;
}

void refuse_unknown_mechanisms(const HfFile& file, std::size_t layers) {
  check_demands(file);
  check_attention_types(file, layers);
  check_activation(file);
  note_left_out(file);
  take_dependents(file);
  for (const Node* node : file.reader.unread()) {
    if (is_of_wrapper(file, *node)) continue;
    if (!is_neutral(file, *node) || is_model_part(*node) || is_switched_off(*node)) refuse(file, *node);
  }
}

}  // namespace bta
