#include "input/hf_families.h"

#include <fmt/format.h>

#include <array>

namespace bta {
namespace {

// Read off the configuration_*.py and modeling_*.py files of huggingface/transformers (4.40 to 4.57):
// llama      q, k, v, o carry a bias iff attention_bias; gate, up, down iff mlp_bias
// mixtral    no biases; num_local_experts experts of intermediate_size; sliding_window counts when not null
// olmoe      q, k, v, o carry a bias iff attention_bias; q_norm over all of q, k_norm over all of k;
//            experts of intermediate_size
// qwen2_moe  q, k, v carry a bias (since 4.57 switchable by qkv_bias), o none; a shared expert behind a
//            d -> 1 sigmoid gate; layer i is MoE iff i is not in mlp_only_layers and
//            (i + 1) % decoder_sparse_step == 0, else a dense MLP of intermediate_size
// qwen3      q, k, v, o carry a bias iff attention_bias; q_norm and k_norm per head
// qwen3_moe  attention as qwen3, layers as qwen2_moe without the shared expert
// tie_word_embeddings defaults to false in all six.
constexpr HfSwitch attention_bias{"attention_bias", false};
constexpr HfSwitch never{"", false};
constexpr HfSwitch untied{"tie_word_embeddings", false};

constexpr std::array families{
    HfFamily{.model_type = "llama",
             .architecture = "LlamaForCausalLM",
             .qk_norm = QkNorm::none,
             .qkv_bias = attention_bias,
             .output_bias = attention_bias,
             .mlp_bias = {"mlp_bias", false},
             .tied_embeddings = untied,
             .expert_width = "",
             .layer_schedule = false,
             .shared_expert = false,
             .window_needs_flag = false,
             .head_size_is_hidden_share = false},
    HfFamily{.model_type = "mixtral",
             .architecture = "MixtralForCausalLM",
             .qk_norm = QkNorm::none,
             .qkv_bias = never,
             .output_bias = never,
             .mlp_bias = never,
             .tied_embeddings = untied,
             .expert_width = "intermediate_size",
             .layer_schedule = false,
             .shared_expert = false,
             .window_needs_flag = false,
             .head_size_is_hidden_share = false},
    HfFamily{.model_type = "olmoe",
             .architecture = "OlmoeForCausalLM",
             .qk_norm = QkNorm::projection,
             .qkv_bias = attention_bias,
             .output_bias = attention_bias,
             .mlp_bias = never,
             .tied_embeddings = untied,
             .expert_width = "intermediate_size",
             .layer_schedule = false,
             .shared_expert = false,
             .window_needs_flag = false,
             .head_size_is_hidden_share = true},
    HfFamily{.model_type = "qwen2_moe",
             .architecture = "Qwen2MoeForCausalLM",
             .qk_norm = QkNorm::none,
             .qkv_bias = {"qkv_bias", true},
             .output_bias = never,
             .mlp_bias = never,
             .tied_embeddings = untied,
             .expert_width = "moe_intermediate_size",
             .layer_schedule = true,
             .shared_expert = true,
             .window_needs_flag = true,
             .head_size_is_hidden_share = true},
    HfFamily{.model_type = "qwen3",
             .architecture = "Qwen3ForCausalLM",
             .qk_norm = QkNorm::per_head,
             .qkv_bias = attention_bias,
             .output_bias = attention_bias,
             .mlp_bias = never,
             .tied_embeddings = untied,
             .expert_width = "",
             .layer_schedule = false,
             .shared_expert = false,
             .window_needs_flag = true,
             .head_size_is_hidden_share = false},
    HfFamily{.model_type = "qwen3_moe",
             .architecture = "Qwen3MoeForCausalLM",
             .qk_norm = QkNorm::per_head,
             .qkv_bias = attention_bias,
             .output_bias = attention_bias,
             .mlp_bias = never,
             .tied_embeddings = untied,
             .expert_width = "moe_intermediate_size",
             .layer_schedule = true,
             .shared_expert = false,
             .window_needs_flag = true,
             .head_size_is_hidden_share = false},
};

}  // namespace

std::span<const HfFamily> hf_families() {
  return families;
}

std::string supported_hf_families() {
  std::string names;
  for (const HfFamily& family : families) {
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", family.architecture, family.model_type);
  }
  return names;
}

}  // namespace bta
