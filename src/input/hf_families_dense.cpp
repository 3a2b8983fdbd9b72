// llama    q, k, v, o carry a bias iff attention_bias; gate, up, down iff mlp_bias
//
// mistral  no biases; sliding_window is 4096 unless the file says otherwise, null is none
//
// phi3     no biases; q, k, v in one matrix, gate and up in one
//
// gpt2     LayerNorms, projections and MLP with biases; learned positions; tied by default
//
// gptj     one LayerNorm a layer, read by attention and MLP; MLP and head with biases, projections without
#include "input/hf_families.h"

namespace bta {
namespace {

constexpr std::array dense_families{
    HfFamily{.model_type = "llama",
             .architecture = "LlamaForCausalLM",
             .qkv_bias = attention_bias,
             .output_bias = attention_bias,
             .kv_heads_may_be_absent = true,
             .mlp_bias = {"mlp_bias", false}},
    HfFamily{.model_type = "mistral",
             .architecture = "MistralForCausalLM",
             .windows = HfWindows::all_layers,
             .absent_window = 4096},
    HfFamily{.model_type = "phi3",
             .architecture = "Phi3ForCausalLM",
             .kv_heads_may_be_absent = true,
             .windows = HfWindows::all_layers},
    HfFamily{.model_type = "gpt2",
             .architecture = "GPT2LMHeadModel",
             .also = {"GPT2Model"},
             .qkv_bias = always,
             .output_bias = always,
             .kv_heads_may_be_absent = true,
             .multi_head = true,
             .head_size_is_hidden_share = true,
             .gated = false,
             .mlp_bias = always,
             .dense_width = "n_inner",
             .absent_width_is_4_hidden = true,
             .tied_embeddings = {"tie_word_embeddings", true},
             .learned_positions = true,
             .norm_bias = true},
    HfFamily{.model_type = "gptj",
             .architecture = "GPTJForCausalLM",
             .kv_heads_may_be_absent = true,
             .multi_head = true,
             .head_size_is_hidden_share = true,
             .absent_rotary_dim = 64,
             .gated = false,
             .mlp_bias = always,
             .dense_width = "n_inner",
             .absent_width_is_4_hidden = true,
             .head_bias = always,
             .norm_bias = true,
             .parallel = true,
             .demands = {HfDemand{"rotary", "true"}}},
};

}  // namespace

std::span<const HfFamily> hf_dense_families() {
  return dense_families;
}

}  // namespace bta
