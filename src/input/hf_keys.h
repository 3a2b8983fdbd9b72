// The names that config.json files use for one quantity, and the keys of the language model in one map.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "input/reader.h"

namespace bta {

using Spellings = std::vector<std::string_view>;

namespace hf_keys {
inline const Spellings hidden{"hidden_size", "n_embd", "d_model"};
inline const Spellings layers{"num_hidden_layers", "n_layer", "n_layers", "num_layers"};
inline const Spellings heads{"num_attention_heads", "n_head", "n_heads", "num_heads"};
inline const Spellings kv_heads{"num_key_value_heads", "kv_n_heads", "n_kv_heads", "num_kv_heads",
                                "n_head_kv"};
inline const Spellings head_size{"head_dim", "attention_head_dim", "kv_channels", "head_size"};
inline const Spellings positions{"n_positions", "max_position_embeddings"};
inline const Spellings experts{"num_experts",     "num_local_experts",  "n_routed_experts",
                               "moe_num_experts", "num_routed_experts", "num_moe_experts"};
inline const Spellings top_k{
    "num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_topk", "moe_top_k", "moe_k"};
inline const Spellings expert_width{"moe_intermediate_size", "expert_intermediate_size",
                                    "moe_ffn_hidden_size"};
inline const Spellings dense_width{"n_inner", "ffn_hidden_size"};
inline const Spellings shared_experts{"n_shared_experts", "num_shared_experts", "moe_num_shared_experts",
                                      "num_shared_expert"};
inline const Spellings shared_width{"shared_expert_intermediate_size", "shared_intermediate_size",
                                    "moe_shared_expert_intermediate_size"};
inline const Spellings leading_dense{"first_k_dense_replace", "moe_layer_num_skipped"};
inline const Spellings mtp{"num_nextn_predict_layers", "num_mtp_modules"};
inline const Spellings activation{"hidden_act", "activation_function", "hidden_activation", "ffn_act_fn"};
}  // namespace hf_keys

/// The spelling in use, or the first one when none is; two with different values are a problem.
std::string_view spelling_in_use(Reader& reader, const Spellings& spellings);

/// The keys of the language model: those of a nested text_config, of the root, and of attn_config and
/// ffn_config. `nested` is the text_config or nullptr.
Node language_model_keys(const Node& root, const Node* nested);

/// A key that was asked for must not say one thing in one of these maps and another in the next.
void refuse_contradictions(const Node& root, const Node* nested, const Reader& reader, ReadLog& log);

/// A list with one and the same value for every layer where a number is expected becomes that number;
/// entries that differ are a problem.
void collapse_lists(Node& keys, ReadLog& log);

/// A value as the file writes it: only text in quotes, as is the value of an option.
std::string written(const Node& node);

/// architectures or model_type: what the file is, not a dimension of it.
bool is_identity(std::string_view key);

}  // namespace bta
