// A model in this project's YAML. Keys (unknown ones are refused, as is one that has no effect):
//   name                     absent: the name of the file
//   hidden_size num_layers num_heads vocab_size
//   num_kv_heads             absent: num_heads, noted
//   head_dim                 absent: hidden_size / num_heads, noted
//   tie_embeddings           true or false, required
//   qk_norm                  none (default), per_head or projection
//   qkv_bias attention_output_bias mlp_bias        default false
//   gated                    default true: an MLP has three matrices
//   num_experts top_k moe_intermediate_size        a MoE model; all three or none
//   shared_expert_intermediate_size                absent or 0: no shared expert
//   shared_expert_gate       default false
//   dense_layers             indices, from 0, of layers with a dense MLP in a MoE model
//   intermediate_size        width of a dense MLP
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
