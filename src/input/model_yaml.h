// A model in this project's YAML. Keys (unknown ones are refused, as is one that has no effect):
//   name                     absent: the name of the file
//   hidden_size num_layers num_heads vocab_size
//   num_kv_heads             absent: num_heads, noted
//   head_dim                 absent: hidden_size / num_heads, noted
//   v_head_dim               absent: head_dim
//   rotary_dim               of a head's query and key, at most head_dim; absent: all, 0: no rotary embedding
//   tie_embeddings           true or false, required
//   qk_norm                  none (default), per_head, projection, or unit (per head without a gain)
//   qkv_bias attention_output_bias mlp_bias        default false
//   attention_sinks          default false
//   sliding_window           keys that a query sees, the last; in sliding_window_layers (absent: all)
//   attention_chunk_size     keys of a chunk, beyond which no query sees; in chunked_layers (absent: all)
//   nope_layers              without rotary embedding and without q/k norm
//   kv_lora_rank             latent attention, with qk_nope_head_dim, qk_rope_head_dim and v_head_dim,
//   q_lora_rank
//                            (absent: queries are projected directly) and latent_bias (default false), and
//                            without the keys from num_kv_heads to nope_layers that it does not name
//   gated                    default true: an MLP has three matrices
//   num_experts top_k moe_intermediate_size        a MoE model; all three or none
//   shared_expert_intermediate_size                absent or 0: no shared expert
//   shared_expert_gate router_bias router_selection_bias expert_bias        default false
//   dense_layers             of a MoE model, with a dense MLP
//   intermediate_size        width of a dense MLP
//   norm_bias                LayerNorm with a bias, in every layer and at the end; default false
//   parallel_block           attention and MLP read the same norm; default false
//   post_norms               norms after attention and MLP too; default false
//   position_embeddings      rows of a learned position table; absent: none
//   lm_head_bias             default false
//   mtp_parameters vision_parameters               counted apart, in no total
//   notes                    a list of texts, told to the user
// Lists of layers hold indices, from 0.
//   kind source              standing of the numbers; a number may also be {value, kind, source}
#pragma once

#include <string>

#include "input/node.h"
#include "input/read_log.h"
#include "model/model.h"

namespace bta {

/// Whole and valid when the log is clean, else of no use. `content_hash` is not filled.
Model read_model_yaml(const Node& root, const std::string& fallback_name, ReadLog& log);

}  // namespace bta
