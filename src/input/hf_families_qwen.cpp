// qwen2      q, k, v carry a bias, o none
//
// qwen2_moe  attention as qwen2 (since 4.57 switchable by qkv_bias); a shared expert behind a d -> 1
//            sigmoid gate; dense MLPs of intermediate_size where the schedule leaves experts out
//
// qwen3      q, k, v, o carry a bias iff attention_bias; q_norm and k_norm per head
//
// qwen3_moe  attention as qwen3 but for the window, which is in every layer; layers as qwen2_moe without the
//            shared expert
//
// The language models of Qwen3-VL are those of qwen3 and qwen3_moe.
#include "input/hf_families.h"

namespace bta {
namespace {

constexpr std::array qwen_families{
    HfFamily{.model_type = "qwen2",
             .architecture = "Qwen2ForCausalLM",
             .qkv_bias = always,
             .windows = HfWindows::flagged,
             .absent_window = 4096,
             .absent_window_start = 28},
    HfFamily{.model_type = "qwen2_moe",
             .architecture = "Qwen2MoeForCausalLM",
             .qkv_bias = {"qkv_bias", true, HfTold::never},
             .head_size_is_hidden_share = true,
             .windows = HfWindows::flagged,
             .absent_window = 4096,
             .absent_window_start = 28,
             .expert_width = "moe_intermediate_size",
             .schedule = HfSchedule::sparse_step,
             .shared = HfShared::width,
             .shared_gate = true},
    HfFamily{.model_type = "qwen3",
             .architecture = "Qwen3ForCausalLM",
             .also = {"qwen3_vl", "qwen3_vl_text", "Qwen3VLForConditionalGeneration"},
             .qk_norm = QkNorm::per_head,
             .qkv_bias = attention_bias,
             .output_bias = attention_bias,
             .absent_head_size = 128,
             .windows = HfWindows::flagged,
             .absent_window = 4096,
             .absent_window_start = 28,
             .demands = {HfDemand{"use_qk_norm", "true"}}},
    HfFamily{.model_type = "qwen3_moe",
             .architecture = "Qwen3MoeForCausalLM",
             .also = {"qwen3_vl_moe", "qwen3_vl_moe_text", "Qwen3VLMoeForConditionalGeneration"},
             .qk_norm = QkNorm::per_head,
             .qkv_bias = attention_bias,
             .output_bias = attention_bias,
             .windows = HfWindows::all_flagged,
             .absent_window = 4096,
             .expert_width = "moe_intermediate_size",
             .schedule = HfSchedule::sparse_step,
             .demands = {HfDemand{"use_qk_norm", "true"}}},
};

}  // namespace

std::span<const HfFamily> hf_qwen_families() {
  return qwen_families;
}

}  // namespace bta
