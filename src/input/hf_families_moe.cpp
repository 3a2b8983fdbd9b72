// Experts of intermediate_size in every layer, if nothing else is said.
//
// mixtral          no biases; sliding_window counts when not null
//
// olmoe            q, k, v, o carry a bias iff attention_bias; q_norm over all of q, k_norm over all of k
//
// dbrx             sizes in attn_config and ffn_config; LayerNorms without bias
//
// gpt_oss          biases everywhere but the head; a learned logit a head; every other layer slides
//
// llama4_text      a shared expert as wide as a routed one; three of four layers with rotary positions,
//                  chunks and norms without gain; dense layers of intermediate_size_mlp
//
// granitemoe       no biases unless attention_bias; granitemoeshared adds a shared expert of its own width
//
// grok-1           norms before and after attention and experts
//
// ernie4_5_moe     moe_layer_start_index to _end_index; one value an expert that steers the choice
//
// phimoe           LayerNorms with bias; q, k, v, o carry a bias iff attention_bias, the head
//                  iff lm_head_bias
//
// minimax_m2       q_norm over all of q, k_norm over all of k; one value an expert that steers the choice
#include "input/hf_families.h"

namespace bta {
namespace {

constexpr HfSwitch attention_bias_by_default{"attention_bias", true};

constexpr std::array moe_families{
    HfFamily{.model_type = "mixtral",
             .architecture = "MixtralForCausalLM",
             .windows = HfWindows::all_layers,
             .expert_width = "intermediate_size"},
    HfFamily{.model_type = "olmoe",
             .architecture = "OlmoeForCausalLM",
             .qk_norm = QkNorm::projection,
             .qkv_bias = attention_bias,
             .output_bias = attention_bias,
             .kv_heads_may_be_absent = true,
             .head_size_is_hidden_share = true,
             .expert_width = "intermediate_size"},
    HfFamily{.model_type = "dbrx",
             .architecture = "DbrxForCausalLM",
             .head_size_is_hidden_share = true,
             .expert_width = "ffn_hidden_size",
             .harmless = {"moe_normalize_expert_weights"}},
    HfFamily{.model_type = "gpt_oss",
             .architecture = "GptOssForCausalLM",
             .qkv_bias = attention_bias_by_default,
             .output_bias = attention_bias_by_default,
             .absent_head_size = 64,
             .sinks = true,
             .windows = HfWindows::alternating,
             .absent_window = 128,
             .expert_width = "intermediate_size",
             .router_bias = true,
             .expert_bias = always},
    HfFamily{.model_type = "llama4_text",
             .architecture = "Llama4ForCausalLM",
             .also = {"llama4", "Llama4ForConditionalGeneration"},
             .qk_norm = QkNorm::unit,
             .qk_norm_used = {"use_qk_norm", true},
             .qkv_bias = attention_bias,
             .output_bias = attention_bias,
             .absent_head_size = 128,
             .windows = HfWindows::rotary,
             .absent_window = 8192,
             .dense_width = "intermediate_size_mlp",
             .expert_width = "intermediate_size",
             .schedule = HfSchedule::interleaved,
             .shared = HfShared::one,
             .vision = HfVision::llama4},
    HfFamily{.model_type = "granitemoe",
             .architecture = "GraniteMoeForCausalLM",
             .qkv_bias = attention_bias,
             .output_bias = attention_bias,
             .kv_heads_may_be_absent = true,
             .head_size_is_hidden_share = true,
             .expert_width = "intermediate_size"},
    HfFamily{.model_type = "granitemoeshared",
             .architecture = "GraniteMoeSharedForCausalLM",
             .qkv_bias = attention_bias,
             .output_bias = attention_bias,
             .kv_heads_may_be_absent = true,
             .head_size_is_hidden_share = true,
             .expert_width = "intermediate_size",
             .shared = HfShared::width},
    HfFamily{.model_type = "grok-1",
             .architecture = "Grok1ModelForCausalLM",
             .kv_heads_may_be_absent = true,
             .head_size_is_hidden_share = true,
             .expert_width = "intermediate_size",
             .tied_embeddings = {"tie_word_embeddings", true},
             .post_norms = true},
    HfFamily{.model_type = "ernie4_5_moe",
             .architecture = "Ernie4_5_MoeForCausalLM",
             .expert_width = "moe_intermediate_size",
             .schedule = HfSchedule::index_range,
             .shared = HfShared::count,
             .absent_shared = 2,
             .selection_bias = {"moe_use_aux_free", true},
             .tied_embeddings = {"tie_word_embeddings", true},
             .mtp = HfMtp::noted,
             .demands = {HfDemand{"moe_gate", "topk"}}},
    HfFamily{.model_type = "phimoe",
             .architecture = "PhiMoEForCausalLM",
             .also = {"PhimoeForCausalLM"},
             .qkv_bias = attention_bias_told,
             .output_bias = attention_bias_told,
             .windows = HfWindows::all_layers,
             .expert_width = "intermediate_size",
             .head_bias = {"lm_head_bias", false, HfTold::always},
             .norm_bias = true},
    HfFamily{.model_type = "minimax_m2",
             .architecture = "MiniMaxM2ForCausalLM",
             .qk_norm = QkNorm::projection,
             .qk_norm_used = {"use_qk_norm", true},
             .absent_head_size = 128,
             .windows = HfWindows::all_layers,
             .expert_width = "intermediate_size",
             .selection_bias = {"use_routing_bias", true},
             .mtp = HfMtp::noted,
             .demands = {HfDemand{"qk_norm_type", "per_layer"}},
             .harmless = {"mlp_intermediate_size"}},
};

}  // namespace

std::span<const HfFamily> hf_moe_families() {
  return moe_families;
}

}  // namespace bta
