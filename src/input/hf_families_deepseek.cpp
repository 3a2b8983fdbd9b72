// Leading dense layers of intermediate_size, then experts of moe_intermediate_size beside a shared expert
// that is as wide as n_shared_experts of them.
//
// deepseek         grouped attention; biases iff attention_bias
//
// deepseek_v2      latent attention; biases on its down-projections and its output iff attention_bias
//
// deepseek_v3      as v2, and one value an expert (e_score_correction_bias) that steers the choice; MTP
//
// glm4_moe         grouped attention, q and k normalised iff use_qk_norm, half a head rotary; as v3 else
//
// dots1            attention as qwen3 (norms per head); experts as v3; no MTP
//
// bailing_moe      grouped attention; a bias on q, k, v iff use_qkv_bias
//
// bailing_moe_v2   q and k normalised iff use_qk_norm, half a head rotary; experts as v3
//
// hunyuan_v1_moe   norms of q and k per head; experts of intermediate_size, shared iff use_mixed_mlp_moe
#include "input/hf_families.h"

namespace bta {
namespace {

constexpr HfSwitch qk_norm_told{"use_qk_norm", false, HfTold::always};

constexpr std::array deepseek_families{
    HfFamily{.model_type = "deepseek",
             .architecture = "DeepseekForCausalLM",
             .qkv_bias = attention_bias,
             .output_bias = attention_bias,
             .kv_heads_may_be_absent = true,
             .head_size_is_hidden_share = true,
             .expert_width = "moe_intermediate_size",
             .schedule = HfSchedule::after_leading,
             .layer_frequency = true,
             .shared = HfShared::count,
             .absent_shared = 0,
             .null_shared_is_none = true},
    HfFamily{.model_type = "deepseek_v2",
             .architecture = "DeepseekV2ForCausalLM",
             .attention = HfAttention::latent,
             .qkv_bias = attention_bias,
             .expert_width = "moe_intermediate_size",
             .schedule = HfSchedule::after_leading,
             .layer_frequency = true,
             .shared = HfShared::count,
             .absent_shared = 2,
             .null_shared_is_none = true,
             .demands = {HfDemand{"topk_method", "greedy group_limited_greedy"}}},
    HfFamily{.model_type = "deepseek_v3",
             .architecture = "DeepseekV3ForCausalLM",
             .also = {"kimi_k2"},
             .attention = HfAttention::latent,
             .qkv_bias = attention_bias,
             .expert_width = "moe_intermediate_size",
             .schedule = HfSchedule::after_leading,
             .leading_dense = 3,
             .layer_frequency = true,
             .shared = HfShared::count,
             .absent_shared = 1,
             .null_shared_is_none = true,
             .selection_bias = always,
             .mtp = HfMtp::counted,
             .demands = {HfDemand{"topk_method", "noaux_tc"}}},
    HfFamily{.model_type = "glm4_moe",
             .architecture = "Glm4MoeForCausalLM",
             .qk_norm = QkNorm::per_head,
             .qk_norm_used = qk_norm_told,
             .qkv_bias = attention_bias_told,
             .rotary_share = 0.5,
             .expert_width = "moe_intermediate_size",
             .schedule = HfSchedule::after_leading,
             .leading_dense = 1,
             .shared = HfShared::count,
             .absent_shared = 1,
             .selection_bias = always,
             .mtp = HfMtp::counted},
    HfFamily{.model_type = "dots1",
             .architecture = "Dots1ForCausalLM",
             .qk_norm = QkNorm::per_head,
             .qkv_bias = attention_bias,
             .output_bias = attention_bias,
             .windows = HfWindows::from_layer,
             .absent_window = 4096,
             .absent_window_start = 62,
             .expert_width = "moe_intermediate_size",
             .schedule = HfSchedule::after_leading,
             .shared = HfShared::count,
             .selection_bias = always,
             .demands = {HfDemand{"topk_method", "noaux_tc"}, HfDemand{"use_qk_norm", "true"}}},
    HfFamily{.model_type = "bailing_moe",
             .architecture = "BailingMoeForCausalLM",
             .qkv_bias = {"use_qkv_bias", false},
             .expert_width = "moe_intermediate_size",
             .schedule = HfSchedule::after_leading,
             .shared = HfShared::count,
             .absent_shared = 0,
             .null_shared_is_none = true,
             .harmless = {"norm_head"}},
    HfFamily{.model_type = "bailing_moe_v2",
             .architecture = "BailingMoeV2ForCausalLM",
             .also = {"bailing_moe"},
             .qk_norm = QkNorm::per_head,
             .qk_norm_used = qk_norm_told,
             .qkv_bias = {"use_qkv_bias", false},
             .rotary_share = 0.5,
             .expert_width = "moe_intermediate_size",
             .schedule = HfSchedule::after_leading,
             .shared = HfShared::count,
             .absent_shared = 0,
             .null_shared_is_none = true,
             .selection_bias = {"moe_router_enable_expert_bias", true},
             .mtp = HfMtp::noted},
    HfFamily{.model_type = "hunyuan_v1_moe",
             .architecture = "HunYuanMoEV1ForCausalLM",
             .also = {"hunyuan"},
             .qk_norm = QkNorm::per_head,
             .qk_norm_used = {"use_qk_norm", true},
             .qkv_bias = attention_bias,
             .output_bias = attention_bias,
             .kv_heads_may_be_absent = true,
             .expert_width = "intermediate_size",
             .schedule = HfSchedule::after_leading,
             .shared = HfShared::count,
             .absent_shared = 1,
             .shared_used = {"use_mixed_mlp_moe", true},
             .harmless = {"dense_list"}},
};

}  // namespace

std::span<const HfFamily> hf_deepseek_families() {
  return deepseek_families;
}

}  // namespace bta
