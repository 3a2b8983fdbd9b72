// The Hugging Face model families whose arithmetic is known here: one table row each. A new family of
// the same shape is a new row.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/model.h"

namespace bta {

/// Where a bias or another switch of a family comes from: a key of the file with its default when
/// absent, or (no key) a fixed value that no key of the file changes.
struct HfSwitch {
  std::string_view key;
  bool value = false;
};

struct HfFamily {
  std::string_view model_type;
  std::string_view architecture;
  QkNorm qk_norm;
  HfSwitch qkv_bias;
  HfSwitch output_bias;
  HfSwitch mlp_bias;
  HfSwitch tied_embeddings;
  std::string_view expert_width;   // key of an expert's width; empty: a dense family
  bool layer_schedule;             // decoder_sparse_step and mlp_only_layers make some layers dense
  bool shared_expert;              // with a sigmoid gate of its own
  bool window_needs_flag;          // sliding_window counts only with use_sliding_window: true
  bool head_size_is_hidden_share;  // head_dim is always hidden_size / heads
};

std::span<const HfFamily> hf_families();

/// "LlamaForCausalLM (llama), ..."
std::string supported_hf_families();

}  // namespace bta
