// What would change the arithmetic and is not known is refused by name, never read as something else.
#include "input/hf_families.h"
#include "unit/input/input_support.h"

namespace {

using namespace bta::test;

const std::string supported = "supported: " + bta::supported_hf_families() + "\n";

std::string config(const std::string& head, const std::string& members = "") {
  return "{" + head + R"(
 "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100,
 "intermediate_size": 96, "tie_word_embeddings": false)" +
         members + "}";
}
std::string typed(const std::string& type, const std::string& member) {
  const std::string experts =
      type == "llama" || type == "qwen3" ? "" : R"(, "num_experts": 8, "num_experts_per_tok": 2)";
  const std::string width = type.ends_with("_moe") ? R"(, "moe_intermediate_size": 32)" : "";
  return config(R"("model_type": ")" + type + "\",",
                experts + width + (member.empty() ? "" : ",\n " + member));
}
/// The message about `member` in a config of that type.
std::string refusal(const std::string& type, const std::string& member) {
  return problems(model_from_json(typed(type, member)));
}

std::string refused(int column, const std::string& key, const std::string& value, const std::string& type) {
  return "config.json:4:" + std::to_string(column) + ": error: " + key + ": '" + key + "' is " + value +
         ": this changes the arithmetic in a way that is not known here for " + type +
         ", so the file is refused\n";
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("an unknown family is refused by name, with what is supported") {
  CHECK(problems(model_from_json(config(R"("architectures": ["OPTForCausalLM"],)"))) ==
        "config.json:1:20: error: architectures: 'OPTForCausalLM' is not supported; " + supported);
  CHECK(problems(model_from_json(config(R"("model_type": "opt",)"))) ==
        "config.json:1:16: error: model_type: 'opt' is not supported; " + supported);
  CHECK(problems(model_from_json(config(""))) ==
        "config.json:1:1: error: neither 'architectures' nor 'model_type' says which family this is; " +
            supported);
}

TEST_CASE("architecture and model_type must agree") {
  CHECK(
      problems(model_from_json(config(R"("architectures": ["LlamaForCausalLM"], "model_type": "qwen3",)"))) ==
      "config.json:1:55: error: model_type: 'qwen3' contradicts 'LlamaForCausalLM' of the same file\n");
  CHECK(problems(model_from_json(config(R"("architectures": ["LlamaForCausalLM"], "model_type": "opt",)"))) ==
        "config.json:1:55: error: model_type: 'opt' is not supported; " + supported);
  CHECK(problems(model_from_json(config(R"("architectures": ["LlamaForCausalLM"], "model_type": null,)")))
            .empty());
}

TEST_CASE("a family that is refused beside one that is read is a contradiction") {
  CHECK(
      problems(model_from_json(
          config(R"("architectures": ["MiniMaxM2ForCausalLM"], "model_type": "minimax",)"))) ==
      "config.json:1:59: error: model_type: 'minimax' contradicts 'MiniMaxM2ForCausalLM' of the same file\n");
}

TEST_CASE("a model_type that two architectures share goes with either") {
  const std::string members = R"(, "moe_intermediate_size": 32, "num_experts": 8, "num_experts_per_tok": 2)";
  const auto rotary_of = [&](const std::string& head) {
    return attention_of(good(model_from_json(config(head + R"("model_type": "bailing_moe",)", members))))
        .rotary_dim;
  };
  CHECK(rotary_of(R"("architectures": ["BailingMoeV2ForCausalLM"], )") == 8);
  CHECK_FALSE(rotary_of(R"("architectures": ["BailingMoeForCausalLM"], )").has_value());
  CHECK_FALSE(rotary_of("").has_value());
}

TEST_CASE("a hybrid is refused with the count of its layers that are not attention") {
  const auto why = [](const std::string& architecture, const std::string& members) {
    return problems(model_from_json(config("\"architectures\": [\"" + architecture + "\"],", members)));
  };
  const std::string end = ": its cost is not modelled\n";
  CHECK(why("Qwen3NextForCausalLM", R"(, "full_attention_interval": 4)") ==
        "config.json:1:20: error: architectures: 'Qwen3NextForCausalLM' is not supported: 3 of 4 layers are "
        "gated delta-rule linear attention" +
            end);
  CHECK(why("JambaForCausalLM", R"(, "attn_layer_period": 2)")
            .ends_with("2 of 4 layers are Mamba state-space" + end));
  CHECK(why("MiniMaxM1ForCausalLM", R"(, "attn_type_list": [0, 0, 0, 1])")
            .ends_with("3 of 4 layers are lightning linear attention" + end));
  CHECK(why("NemotronHForCausalLM", R"(, "hybrid_override_pattern": "M-M*")")
            .ends_with("3 of 4 layers are Mamba-2 state-space or an MLP alone" + end));
  CHECK(why("GraniteMoeHybridForCausalLM", R"(, "layer_types": ["mamba", "mamba", "attention", "mamba"])")
            .ends_with("3 of 4 layers are Mamba-2 state-space" + end));
  CHECK(why("KimiLinearForCausalLM", R"(, "linear_attn_config": {"kda_layers": [1, 2, 3]})")
            .ends_with("3 of 4 layers are Kimi delta attention (linear)" + end));
  CHECK(why("GraniteMoeHybridForCausalLM", R"(, "layer_types": ["attention", "attention"])")
            .ends_with("no layer here is Mamba-2 state-space, but the family is not modelled\n"));
  CHECK(why("MambaForCausalLM", "").ends_with("its layers are Mamba state-space" + end));
}

TEST_CASE("a mechanism of a whole family is the reason of its refusal") {
  CHECK(problems(model_from_json(config(R"("model_type": "deepseek_v32",)"))) ==
        "config.json:1:16: error: model_type: 'deepseek_v32' is not supported: it has an indexer that picks "
        "the "
        "keys a query sees (sparse attention), which is not modelled\n");
  CHECK(
      problems(model_from_json(R"({"model_type": "outer", "text_config": {"model_type": "qwen3_next"}})")) ==
      "config.json:1:55: error: model_type: 'qwen3_next' is not supported: its layers are gated delta-rule "
      "linear attention: its cost is not modelled\n");
}

TEST_CASE("a window in a family that has none is refused") {
  CHECK(refusal("llama", R"("sliding_window": 4096)") == refused(20, "sliding_window", "4096", "llama"));
  CHECK(refusal("llama", R"("sliding_window": null)").empty());
}

TEST_CASE("attention of a kind that a family does not have is refused by name") {
  CHECK(refusal("llama",
                R"("layer_types": ["full_attention", "full_attention", "full_attention", "full_attention"])")
            .empty());
  CHECK(refusal("llama", R"("layer_types": ["full_attention", "sliding_attention", "x", "y"])") ==
        "config.json:4:36: error: layer_types: 'sliding_attention' is not an attention known here for llama; "
        "known: 'full_attention'\n");
  CHECK(refusal("qwen3", R"("layer_types": ["linear_attention", "x", "x", "x"])") ==
        "config.json:4:18: error: layer_types: 'linear_attention' is not an attention known here for qwen3; "
        "known: 'full_attention', 'sliding_attention'\n");
  CHECK(refusal("qwen3", R"("layer_types": ["full_attention", "full_attention"])") ==
        "config.json:4:17: error: layer_types: a list of 2 entries stands where one with an entry for each "
        "of 4 "
        "layers is needed\n");
  CHECK(refusal("llama", R"("attn_type_list": [1, 1, 1, 1])").empty());
  CHECK(refusal("llama", R"("attn_type_list": [0, 1, 1, 1])") ==
        "config.json:4:20: error: attn_type_list: 1 of 4 layers are not 1 (full attention) but lightning "
        "linear "
        "attention: its cost is not modelled\n");
}

TEST_CASE("an attn_type_list has an entry of 0 or 1 for every layer") {
  for (const char* const list : {"\"lightning\"", "1", "{}", "[1, 1]", "[1, 1, 1, 2]"}) {
    CAPTURE(list);
    CHECK(refusal("llama", std::string("\"attn_type_list\": ") + list) ==
          "config.json:4:20: error: attn_type_list: 'attn_type_list' must be a list of 4 entries, one a "
          "layer, each "
          "0 or 1\n");
  }
}

TEST_CASE("a map with sizes of a model that nothing reads is refused") {
  CHECK(refusal("llama", R"("moe": {"num_experts": 8})") == refused(9, "moe", "a map of keys", "llama"));
  CHECK(refusal("llama", R"("llm_config": {"hidden_size": 8})") ==
        refused(16, "llm_config", "a map of keys", "llama"));
  CHECK(refusal("llama", R"("block_configs": [{}])") == refused(19, "block_configs", "a list", "llama"));
}

TEST_CASE("rotary positions that are switched off are refused") {
  CHECK(refusal("llama", R"("use_rope": false)") == refused(14, "use_rope", "false", "llama"));
  CHECK(refusal("llama", R"("use_rope": true)").empty());
}

TEST_CASE("control characters of a key do not reach the message") {
  CHECK(refusal("llama", R"("mamba\u001b\nx": 1)") ==
        "config.json:4:20: error: mamba??x: 'mamba??x' is 1: this changes the arithmetic in a way that is "
        "not known "
        "here for llama, so the file is refused\n");
}

struct Mechanism {
  std::string key;
  std::string written;
  std::string shown;
};
const std::vector<Mechanism> mechanisms{
    {"kv_lora_rank", "512", "512"},
    {"q_lora_rank", "1536", "1536"},
    {"num_nextn_predict_layers", "1", "1"},
    {"n_shared_experts", "1", "1"},
    {"num_shared_experts", "2", "2"},
    {"shared_expert_intermediate_size", "64", "64"},
    {"first_k_dense_replace", "3", "3"},
    {"moe_layer_freq", "2", "2"},
    {"mamba_d_state", "16", "16"},
    {"linear_conv_kernel_dim", "4", "4"},
    {"full_attention_interval", "4", "4"},
    {"qk_layernorm", "true", "true"},
    {"mtp_depth", "1", "1"},
    {"use_cla", "true", "true"},
    {"zero_expert_num", "8", "8"},
    {"index_topk", "2048", "2048"},
    {"engram_layers", "[1]", "a list"},
    {"medusa_num_heads", "4", "4"},
    {"state_size", "16", "16"},
    {"num_kv_shared_layers", "2", "2"},
    {"norm_type", "\"layernorm\"", "'layernorm'"},
    {"use_bias", "true", "true"},
    {"attention_chunk_size", "8192", "8192"},
    {"intermediate_size_mlp", "64", "64"},
    {"pruned_heads", "{\"0\": [1]}", "a map of keys"},
    {"layers_block_type", "[\"mamba\"]", "a list"},
};

TEST_CASE("active keys of mechanisms a family does not have are refused by name and value") {
  for (const auto& [key, written, shown] : mechanisms) {
    const int column = static_cast<int>(key.size()) + 6;
    CHECK(refusal("qwen3_moe", "\"" + key + "\": " + written) == refused(column, key, shown, "qwen3_moe"));
  }
}

TEST_CASE("the same keys switched off are ignored") {
  for (const char* const member :
       {R"("kv_lora_rank": null)", R"("num_nextn_predict_layers": 0)", R"("n_shared_experts": 0.0)",
        R"("mamba_d_state": [])", R"("moe_layer_freq": 1)", R"("use_bias": false)", R"("pruned_heads": {})",
        R"("layers_block_type": "")", R"("norm_type": "rms")", R"("full_attn_mod": 1)",
        R"("position_embedding_type": "rope")"}) {
    CAPTURE(member);
    CHECK(refusal("qwen3_moe", member).empty());
  }
}

TEST_CASE("keys that cannot change the arithmetic are ignored") {
  CHECK(
      refusal("llama",
              R"("rope_theta": 1e6, "rope_scaling": {"type": "yarn"}, "rms_norm_eps": 1e-6, "bos_token_id": 1,
 "attention_dropout": 0.1, "torch_dtype": "bfloat16", "pretraining_tp": 2, "top_k": 50, "colour": "red")")
          .empty());
}

TEST_CASE("experts in a dense family are refused") {
  CHECK(refusal("llama", R"("num_local_experts": 8)") == refused(23, "num_local_experts", "8", "llama"));
}

TEST_CASE("quantized files are read, and what is left out is noted") {
  const bta::Model model = good(model_from_json(typed("llama", R"("quantization_config": {"bits": 4})")));
  CHECK(model.notes.back() == "quantization_config: left out; parameters are counted, not stored bits");
}

TEST_CASE("an activation must be known") {
  CHECK(refusal("llama", R"("hidden_act": "silu")").empty());
  CHECK(good(model_from_json(typed("llama", R"("hidden_act": "gelu_new")"))).notes.back() ==
        "hidden_act is 'gelu_new': matrices counted as for silu (gate, up and down)");
  CHECK(refusal("llama", R"("hidden_act": "maxout")") ==
        "config.json:4:16: error: hidden_act: 'maxout' is not an activation known here; known: silu, swish, "
        "swiglu, and "
        "gelu, relu and their variants\n");
}

TEST_CASE("a head size that a family would ignore is refused") {
  CHECK(refusal("olmoe", R"("head_dim": 32)") ==
        "config.json:4:14: error: head_dim: 'head_dim' is 32, but olmoe always uses hidden_size / "
        "num_attention_heads = "
        "16\n");
}

TEST_CASE("wrong kinds and values in a config.json have their place") {
  CHECK(
      problems(model_from_json(with(typed("llama", ""), "\"hidden_size\": 64", "\"hidden_size\": \"64\""))) ==
      "config.json:2:17: error: hidden_size: '64' is text in quotes; write the number without quotes\n");
  CHECK(problems(model_from_json(
            with(typed("llama", ""), "\"vocab_size\": 100", "\"vocab_size\": 12345678901234567890123"))) ==
        "config.json:2:111: error: vocab_size: '12345678901234567890123' is too large; a whole number from 1 "
        "to "
        "16777216 is needed\n");
  CHECK(problems(model_from_json("[1]")) ==
        "config.json:1:1: error: the file holds a list; a map of keys is needed\n");
}

TEST_SUITE_END();

}  // namespace
