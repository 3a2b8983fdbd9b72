#include "input/hf_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "input/model_shape.h"
#include "input/quoted.h"

namespace bta {
namespace {

using Spellings = std::vector<std::string_view>;

bool same_value(const Node& x, const Node& y) {
  if (x.kind != Node::Kind::scalar || y.kind != Node::Kind::scalar) return false;
  const Parsed<std::int64_t> a = parse_integer(x.text, {INT64_MIN, INT64_MAX});
  const Parsed<std::int64_t> b = parse_integer(y.text, {INT64_MIN, INT64_MAX});
  return a && b ? a.value() == b.value() : x.text == y.text;
}

void report_conflict(ReadLog& log, const Node& first, const Node& second) {
  log.problem(
      second, second.key,
      fmt::format("'{}' is {} but '{}' is {}; they mean the same, so they must be equal or one must go",
                  second.key, shown(second), first.key, shown(first)));
}

/// The spelling in use, or the first one when none is; two with different values are a problem.
std::string_view spelling_in_use(Reader& reader, const Spellings& spellings) {
  const Node* first = nullptr;
  for (const std::string_view spelling : spellings) {
    const Node* const node = reader.take(spelling);
    if (first == nullptr) {
      first = node;
    } else if (node != nullptr && !same_value(*first, *node)) {
      report_conflict(reader.log(), *first, *node);
    }
  }
  const auto used =
      std::find_if(spellings.begin(), spellings.end(), [&](auto key) { return reader.has(key); });
  return used != spellings.end() ? *used : spellings.front();
}

bool read_switch(Reader& reader, const HfSwitch& rule) {
  return rule.key.empty() ? rule.value : reader.boolean(rule.key, Need::optional).value_or(rule.value);
}

GroupedQueryAttention read_attention(Reader& reader, const HfFamily& family,
                                     std::optional<std::int64_t> hidden, std::vector<std::string>& notes) {
  constexpr HeadKeys keys{"hidden_size", "num_attention_heads", "num_key_value_heads", "head_dim"};
  const auto known = read_heads(reader, keys, hidden, notes);
  const Heads heads = known.value_or(Heads{});
  if (known && hidden && family.head_size_is_hidden_share && heads.head_size * heads.heads != *hidden) {
    reader.problem("head_dim",
                   fmt::format("'head_dim' is {}, but {} always uses hidden_size / num_attention_heads = {}",
                               heads.head_size, family.model_type, *hidden / heads.heads));
  }
  GroupedQueryAttention attention;
  attention.heads = heads.heads;
  attention.kv_heads = heads.kv_heads;
  attention.qk_head_dim = attention.v_head_dim = heads.head_size;
  attention.qk_norm = family.qk_norm;
  attention.qkv_bias = read_switch(reader, family.qkv_bias);
  attention.output_bias = read_switch(reader, family.output_bias);
  return attention;
}

DenseMlp read_dense_mlp(Reader& reader, const HfFamily& family) {
  DenseMlp mlp;
  mlp.width = reader.integer("intermediate_size", width_range).value_or(1);
  mlp.bias = read_switch(reader, family.mlp_bias);
  return mlp;
}

Spellings width_spellings(const HfFamily& family) {
  Spellings names{family.expert_width, "moe_intermediate_size", "expert_intermediate_size",
                  "moe_ffn_hidden_size"};
  if (names[0] == names[1]) names.erase(names.begin());
  return names;
}

MoeMlp read_moe_mlp(Reader& reader, const HfFamily& family) {
  const std::string_view experts_key = spelling_in_use(
      reader,
      {"num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts", "num_routed_experts"});
  const std::string_view top_k_key =
      spelling_in_use(reader, {"num_experts_per_tok", "num_experts_per_token", "experts_per_token",
                               "moe_topk", "moe_top_k", "moe_k"});
  const auto experts = reader.integer(experts_key, expert_range);
  MoeMlp moe;
  moe.experts = experts.value_or(1);
  moe.top_k = read_top_k(reader, top_k_key, experts_key, experts).value_or(1);
  moe.width = reader.integer(spelling_in_use(reader, width_spellings(family)), width_range).value_or(1);
  if (family.shared_expert) {
    moe.shared_width = reader.integer("shared_expert_intermediate_size", width_range).value_or(1);
    moe.shared_gate = true;
  }
  return moe;
}

/// Which layers a schedule makes dense: listed in mlp_only_layers, or off the sparse step.
std::vector<bool> dense_by_schedule(Reader& reader, std::int64_t layers) {
  const std::int64_t step = reader.integer("decoder_sparse_step", layer_range, Need::optional).value_or(1);
  std::vector<bool> dense(static_cast<std::size_t>(layers));
  for (std::int64_t layer = 0; layer < layers; ++layer)
    dense[static_cast<std::size_t>(layer)] = (layer + 1) % step != 0;
  for (const std::int64_t layer : reader.integers("mlp_only_layers", {0, layer_range.max})) {
    if (layer < layers) dense[static_cast<std::size_t>(layer)] = true;
  }
  return dense;
}

std::vector<FeedForward> read_feed_forwards(Reader& reader, const HfFamily& family, std::int64_t layers) {
  const auto count = static_cast<std::size_t>(layers);
  if (family.expert_width.empty()) return std::vector<FeedForward>(count, read_dense_mlp(reader, family));
  std::vector<FeedForward> mlps(count, read_moe_mlp(reader, family));
  if (!family.layer_schedule) return mlps;
  const std::vector<bool> dense = dense_by_schedule(reader, layers);
  reader.take("intermediate_size");
  if (std::find(dense.begin(), dense.end(), true) == dense.end()) return mlps;
  const DenseMlp mlp = read_dense_mlp(reader, family);
  for (std::size_t layer = 0; layer < count; ++layer) {
    if (dense[layer]) mlps[layer] = mlp;
  }
  return mlps;
}

bool read_tied(Reader& reader, const HfFamily& family, std::vector<std::string>& notes) {
  const HfSwitch& rule = family.tied_embeddings;
  if (!reader.has(rule.key))
    notes.push_back(fmt::format("{} is absent: {} takes {}", rule.key, family.model_type, rule.value));
  return read_switch(reader, rule);
}

/// The declared name, else the last component of where the checkpoint came from.
std::string read_name(Reader& reader, const std::string& fallback_name) {
  if (const auto name = reader.text("name", Need::optional)) return *name;
  const Node* const checkpoint = reader.take("_name_or_path");
  if (checkpoint == nullptr || checkpoint->text.empty()) return fallback_name;
  std::string origin = reader.text("_name_or_path").value_or("");
  while (!origin.empty() && (origin.back() == '/' || origin.back() == '\\')) origin.pop_back();
  origin.erase(0, origin.find_last_of("/\\") + 1);
  return origin.empty() || origin == "." || origin == ".." ? fallback_name : origin;
}

Model read_language_model(Reader& reader, const HfFamily& family, std::vector<std::string> notes) {
  Model model;
  const auto hidden = reader.integer("hidden_size", hidden_range);
  const std::int64_t layers = reader.integer("num_hidden_layers", layer_range).value_or(1);
  const GroupedQueryAttention attention = read_attention(reader, family, hidden, notes);
  for (const FeedForward& mlp : read_feed_forwards(reader, family, layers))
    model.layers.push_back({attention, mlp});
  model.hidden = hidden.value_or(1);
  model.vocabulary = reader.integer("vocab_size", vocabulary_range).value_or(1);
  model.tied_embeddings = read_tied(reader, family, notes);
  refuse_unknown_mechanisms(reader, family, notes);
  model.notes = std::move(notes);
  return model;
}

/// A key of the language model must not say one thing inside text_config and another outside.
void refuse_contradictions(const Node& root, const Node& nested, const Reader& reader, ReadLog& log) {
  for (const std::string& key : reader.asked()) {
    const Node* const outer = find(root, key);
    const Node* const inner = find(nested, key);
    if (outer == nullptr || inner == nullptr || is_identity(key)) continue;
    if (outer->kind == Node::Kind::scalar && inner->kind == Node::Kind::scalar &&
        !same_value(*outer, *inner)) {
      log.problem(*outer, key,
                  fmt::format("'{}' is {} here but {} in text_config", key, shown(*outer), shown(*inner)));
    }
  }
}

/// An override of a key that nothing read would be silently without effect.
void refuse_idle_overrides(Reader& reader) {
  for (const Node* node : reader.unread()) {
    if (node->origin.empty() || is_identity(node->key)) continue;
    const std::string nearest = nearest_name(node->key, reader.asked());
    reader.log().problem(
        *node, node->key,
        fmt::format("{} is not a key that is read from a config.json{}", in_quotes(node->key),
                    nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
  }
}

}  // namespace

Model read_hf_config(const Node& root, const std::string& fallback_name, ReadLog& log) {
  const Node* const text_config = find(root, "text_config");
  const Node* const nested =
      text_config != nullptr && text_config->kind == Node::Kind::map ? text_config : nullptr;
  std::vector<std::string> notes;
  if (nested != nullptr)
    notes.emplace_back("read from the nested text_config; other parts of the file are left out");
  const HfFamily* const family = identify_family(root, nested, notes, log);
  if (family == nullptr) return {};
  const Node keys = language_model_keys(root, nested);
  Reader reader(keys, "", {}, log);
  const std::string name = read_name(reader, fallback_name);
  Model model = read_language_model(reader, *family, std::move(notes));
  model.name = name;
  if (nested != nullptr) refuse_contradictions(root, *nested, reader, log);
  refuse_idle_overrides(reader);
  return model;
}

}  // namespace bta
