// Attention of a config.json: windows, rotary parts, norms of q and k, latent attention.
#include <algorithm>

#include "unit/input/input_support.h"

namespace {

using bta::LatentAttention;
using bta::QkNorm;
using bta::Window;
using namespace bta::test;

std::string config(const std::string& type, const std::string& members, const std::string& layers = "4") {
  return R"({"model_type": ")" + type + R"(", "hidden_size": 64, "num_hidden_layers": )" + layers +
         R"(, "num_attention_heads": 4, "num_key_value_heads": 2,
 "vocab_size": 100, "tie_word_embeddings": false, "intermediate_size": 96,
 "num_local_experts": 8, "num_experts_per_tok": 2)" +
         members + "}";
}
std::string dense(const std::string& type, const std::string& members) {
  return with(config(type, members), ",\n \"num_local_experts\": 8, \"num_experts_per_tok\": 2", "");
}
/// One letter a layer: w window, c chunk, . every key.
std::string windows_of(const bta::Model& model) {
  std::string kinds;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const auto& window = attention_of(model, i).window;
    kinds += !window ? '.' : window->chunked ? 'c' : 'w';
  }
  return kinds;
}
std::string windows(const std::string& text) {
  return windows_of(good(model_from_json(text)));
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("Mistral, Mixtral and Phi have a window in every layer when sliding_window is a number") {
  const bta::Model model = good(model_from_json(config("mixtral", R"(, "sliding_window": 32)")));
  CHECK(windows_of(model) == "wwww");
  CHECK(attention_of(model).window == Window{32});
  CHECK(windows(config("mixtral", R"(, "sliding_window": null)")) == "....");
  CHECK(windows(config("mixtral", "")) == "....");
  CHECK(windows(dense("mistral", R"(, "sliding_window": null)")) == "....");
  CHECK(windows(dense("phi3", R"(, "sliding_window": 2047)")) == "wwww");
}

TEST_CASE("an absent sliding_window of Mistral is 4096, and noted") {
  const bta::Model model = good(model_from_json(dense("mistral", "")));
  CHECK(attention_of(model).window == Window{4096});
  CHECK(model.notes[1] == "sliding_window is absent: mistral takes 4096");
}

TEST_CASE("Qwen has a window only with use_sliding_window, and from max_window_layers on") {
  const std::string window = R"(, "sliding_window": 32, "max_window_layers": 1)";
  CHECK(windows(dense("qwen2", window)) == "....");
  CHECK(windows(dense("qwen2", window + R"(, "use_sliding_window": false)")) == "....");
  CHECK(windows(dense("qwen2", window + R"(, "use_sliding_window": true)")) == ".www");
  CHECK(windows(dense("qwen3",
                      R"(, "sliding_window": 32, "use_sliding_window": true, "max_window_layers": 9)")) ==
        "....");
}

TEST_CASE("GPT-OSS slides in layers 0, 2, .. unless layer_types says otherwise") {
  CHECK(windows(config("gpt_oss", R"(, "sliding_window": 16)")) == "w.w.");
  CHECK(windows(config("gpt_oss", R"(, "sliding_window": 16, "layer_types":
 ["full_attention", "full_attention", "sliding_attention", "full_attention"])")) == "..w.");
  const auto model = good(model_from_json(config("gpt_oss", R"(, "sliding_window": 16)")));
  CHECK(attention_of(model).sinks);
  CHECK(attention_of(model).qkv_bias);
  CHECK(attention_of(model).output_bias);
  CHECK(moe_at(model).router_bias);
  CHECK(moe_at(model).expert_bias);
}

TEST_CASE("layer_types that contradict the window are refused") {
  CHECK(problems(model_from_json(dense("qwen3", R"(,
 "layer_types": ["full_attention", "sliding_attention", "full_attention", "full_attention"])"))) ==
        "config.json:3:36: error: layer_types: 'sliding_attention' in layer 1, but no window is in use\n");
  CHECK(problems(model_from_json(dense("mistral", R"(, "sliding_window": 32,
 "layer_types": ["full_attention", "sliding_attention", "full_attention", "full_attention"])"))) ==
        "config.json:3:18: error: layer_types: 'full_attention' in layer 0, but sliding_window is in use in "
        "every layer\n");
}

TEST_CASE("Llama 4 chunks and normalises the layers with rotary positions, by default three of four") {
  const std::string sizes = R"(, "intermediate_size_mlp": 128, "attention_chunk_size": 16)";
  const bta::Model model = good(model_from_json(config("llama4_text", sizes)));
  CHECK(windows_of(model) == "ccc.");
  CHECK(attention_of(model, 0).window == Window{16, true});
  CHECK(attention_of(model, 0).qk_norm == QkNorm::unit);
  CHECK_FALSE(attention_of(model, 0).rotary_dim.has_value());
  CHECK(attention_of(model, 3).qk_norm == QkNorm::none);
  CHECK(attention_of(model, 3).rotary_dim == 0);
  CHECK(windows(config("llama4_text", sizes + R"(, "no_rope_layers": [])")) == "ccc.");
  CHECK(windows(config("llama4_text", sizes + R"(, "no_rope_layers": [0, 1, 1, 0])")) == ".cc.");
  CHECK(windows(config("llama4_text", sizes + R"(, "no_rope_layer_interval": 2)")) == "c.c.");
  CHECK(windows(config("llama4_text", R"(, "intermediate_size_mlp": 128, "attention_chunk_size": null)")) ==
        "....");
  const bta::Model plain = good(model_from_json(config("llama4_text", sizes + R"(, "use_qk_norm": false)")));
  CHECK(attention_of(plain).qk_norm == QkNorm::none);
}

TEST_CASE("a list of rotary layers has an entry of 0 or 1 for every layer") {
  CHECK(problems(model_from_json(config("llama4_text", R"(, "no_rope_layers": [1, 1])"))) ==
        "config.json:3:70: error: no_rope_layers: 'no_rope_layers' must be a list of 4 entries, one a layer, "
        "each 0 or 1\n");
  CHECK(problems(model_from_json(config("llama4_text", R"(, "no_rope_layers": [1, 1, 2, 0])")))
            .ends_with("each 0 or 1\n"));
}

TEST_CASE("a part of a head is rotated as the file or the family says") {
  const auto rotary = [](const std::string& text) {
    return attention_of(good(model_from_json(text))).rotary_dim;
  };
  const std::string glm = R"(, "moe_intermediate_size": 32, "first_k_dense_replace": 0)";
  CHECK(rotary(config("glm4_moe", glm)) == 8);
  CHECK(rotary(config("glm4_moe", glm + R"(, "partial_rotary_factor": 0.25)")) == 4);
  CHECK_FALSE(rotary(config("glm4_moe", glm + R"(, "partial_rotary_factor": 1.0)")).has_value());
  CHECK(rotary(config("glm4_moe", glm + R"(, "rope_parameters": {"partial_rotary_factor": 0.75})")) == 12);
  CHECK(rotary(config("minimax_m2", R"(, "rotary_dim": 8)")) == 8);
  CHECK(problems(model_from_json(config("minimax_m2", R"(,
 "rotary_dim": 8, "partial_rotary_factor": 0.25, "head_dim": 16)"))) ==
        "config.json:4:16: error: rotary_dim: 'rotary_dim' is 8 but 'partial_rotary_factor' of a head is 4; "
        "they mean the same, so they must be equal or one must go\n");
}

TEST_CASE("what a family's code takes for an absent key is noted") {
  const auto noted = [](const std::string& text, const std::string& note) {
    const auto notes = good(model_from_json(text)).notes;
    return std::count(notes.begin(), notes.end(), note) == 1;
  };
  const auto fixture = [](const std::string& name) {
    return text_of(BTA_TEST_DATA "/models/" + name + "/config.json");
  };
  CHECK(noted(with(fixture("glm-4.5"), "\"use_qk_norm\": true", "\"x\": 1"),
              "use_qk_norm is absent: glm4_moe takes false"));
  CHECK(noted(with(fixture("glm-4.5"), "\"attention_bias\": true", "\"x\": 1"),
              "attention_bias is absent: glm4_moe takes false"));
  CHECK(noted(with(fixture("glm-4.5"), "\"partial_rotary_factor\": 0.5", "\"x\": 1"),
              "partial_rotary_factor is absent: glm4_moe takes 0.5"));
  CHECK(noted(with(fixture("gpt-oss-20b"), "\"attention_bias\": true", "\"x\": 1"),
              "attention_bias is absent: gpt_oss takes true"));
  CHECK(noted(with(fixture("phi-3.5-moe"), "\"lm_head_bias\": true", "\"x\": 1"),
              "lm_head_bias is absent: phimoe takes false"));
  CHECK(noted(config("llama4_text", R"(, "moe_layers": [0, 1, 2, 3])"),
              "no_rope_layer_interval is absent: llama4_text takes 4"));
  CHECK(noted(dense("qwen3", R"(, "use_sliding_window": true, "sliding_window": 32)"),
              "max_window_layers is absent: qwen3 takes 28"));
  const std::string gptj = with(fixture("gpt-j-6b"), "\"rotary_dim\": 64", "\"x\": 1");
  CHECK(noted(gptj, "rotary_dim is absent: gptj takes 64"));
  CHECK(attention_of(good(model_from_json(gptj))).rotary_dim == 64);
}

TEST_CASE("Qwen3-MoE has its window in every layer, and only with use_sliding_window") {
  const std::string window = R"(, "moe_intermediate_size": 32, "sliding_window": 32, "max_window_layers": 2)";
  CHECK(windows(config("qwen3_moe", window)) == "....");
  CHECK(windows(config("qwen3_moe", window + R"(, "use_sliding_window": true)")) == "wwww");
}

TEST_CASE("null switches off") {
  const std::string sizes = R"(, "attention_chunk_size": 16, "use_qk_norm": null)";
  CHECK(attention_of(good(model_from_json(config("llama4_text", sizes)))).qk_norm == QkNorm::none);
  CHECK_FALSE(attention_of(good(model_from_json(config("gpt_oss", R"(, "attention_bias": null)")))).qkv_bias);
}

TEST_CASE("rotary layers and rotary parameters of the wrong kind are refused") {
  for (const char* const value : {"true", "\"x\"", "{}", "3"}) {
    CAPTURE(value);
    CHECK(
        problems(model_from_json(config("llama4_text", std::string(", \"no_rope_layers\": ") + value))) ==
        "config.json:3:70: error: no_rope_layers: 'no_rope_layers' must be a list of 4 entries, one a layer, "
        "each 0 or 1\n");
  }
  CHECK(problems(model_from_json(dense("llama", R"(,
 "rope_parameters": 3)"))) ==
        "config.json:3:21: error: rope_parameters: '3' stands where a map of keys is needed\n");
}

TEST_CASE("a list of rotary layers that is wrong is one error, whatever the layer types") {
  CHECK(problems(model_from_json(config("llama4_text", R"(, "no_rope_layers": [1, 1],
 "layer_types": ["full_attention", "full_attention", "full_attention", "full_attention"])"))) ==
        "config.json:3:70: error: no_rope_layers: 'no_rope_layers' must be a list of 4 entries, one a layer, "
        "each 0 or 1\n");
}

TEST_CASE("GPT-2 has learned positions and a key for every head") {
  const std::string gpt2 =
      R"({"model_type": "gpt2", "n_embd": 64, "n_head": 4, "n_layer": 2, "n_positions": 32,
 "vocab_size": 100, "n_inner": null)";
  const bta::Model model = good(model_from_json(gpt2 + "}"));
  CHECK(model.positions == 32);
  CHECK(model.norm_bias);
  CHECK(model.tied_embeddings);
  CHECK(attention_of(model).rotary_dim == 0);
  CHECK(dense_at(model) == bta::DenseMlp{256, false, true});
  CHECK(
      problems(model_from_json(gpt2 + ", \"n_kv_heads\": 2}")) ==
      "config.json:2:52: error: n_kv_heads: 'n_kv_heads' is 2, but gpt2 has a key and a value for each of 4 "
      "heads\n");
}

TEST_CASE("GPT-J's and Grok's layers are noted where they are not run as they are") {
  const bta::Model gptj = good(model_from_json(text_of(BTA_TEST_DATA "/models/gpt-j-6b/config.json")));
  CHECK(gptj.layers[0].parallel);
  CHECK(gptj.head_bias);
  CHECK(gptj.notes.back() ==
        "attention and MLP read the same norm, but are costed and run one after the other");
  const bta::Model grok = good(model_from_json(text_of(BTA_TEST_DATA "/models/grok-1/config.json")));
  CHECK(grok.layers[0].post_norms);
  CHECK(grok.notes.back() == "norms after attention and after the MLP are counted, not run");
}

const std::string latent = R"({"model_type": "deepseek_v2", "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "vocab_size": 100, "intermediate_size": 96, "n_routed_experts": 8,
 "num_experts_per_tok": 2, "moe_intermediate_size": 32, "first_k_dense_replace": 1, "tie_word_embeddings": false,
 "q_lora_rank": 24, "kv_lora_rank": 16, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 12)";

LatentAttention latent_of(const std::string& text) {
  return std::get<LatentAttention>(good(model_from_json(text)).layers.at(0).attention);
}

TEST_CASE("latent attention has a query latent unless q_lora_rank is null") {
  CHECK(latent_of(latent + "}") == LatentAttention{4, 24, 16, 8, 4, 12, false});
  CHECK(latent_of(with(latent, "24", "null") + "}") == LatentAttention{4, 0, 16, 8, 4, 12, false});
  CHECK(latent_of(latent + R"(, "attention_bias": true})").bias);
  CHECK(problems(model_from_json(with(latent, "\"q_lora_rank\": 24, ", "") + "}")) ==
        "config.json:1:1: error: q_lora_rank: the required key 'q_lora_rank' is missing\n");
}

TEST_CASE("keys beside those of latent attention must agree with them") {
  CHECK(problems(model_from_json(latent + R"(, "head_dim": 4, "qk_head_dim": 12, "num_key_value_heads": 4})"))
            .empty());
  CHECK(problems(model_from_json(latent + R"(,
 "num_key_value_heads": 2, "head_dim": 99})")) ==
        "config.json:5:25: error: num_key_value_heads: 'num_key_value_heads' is 2, but latent attention has "
        "a key "
        "and a value for every head = 4\n"
        "config.json:5:40: error: head_dim: 'head_dim' is 99, but latent attention has heads of "
        "qk_nope_head_dim + qk_rope_head_dim = 12\n");
}

TEST_CASE("a query latent of rank 0 is refused: null is none") {
  CHECK(problems(model_from_json(with(latent, "\"q_lora_rank\": 24", "\"q_lora_rank\": 0") + "}"))
            .starts_with("config.json:4:17: error: q_lora_rank: '0' is too small"));
}

TEST_CASE("a key of latent attention that is missing is one error") {
  CHECK(problems(model_from_json(with(latent, "\"q_lora_rank\": 24, ", "") + R"(, "num_key_value_heads": 4,
 "head_dim": 12})")) == "config.json:1:1: error: q_lora_rank: the required key 'q_lora_rank' is missing\n");
}

TEST_CASE("a router that a family's code does not have is refused") {
  CHECK(problems(model_from_json(latent + R"(,
 "topk_method": "noaux_tc"})")) ==
        "config.json:5:17: error: topk_method: 'noaux_tc' is not one of greedy, group_limited_greedy, which "
        "deepseek_v2 has\n");
}

TEST_SUITE_END();

}  // namespace
