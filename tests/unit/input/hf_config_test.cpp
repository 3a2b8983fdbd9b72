#include "input/hf_config.h"

#include "unit/input/input_support.h"

namespace {

using bta::QkNorm;
using namespace bta::test;

std::string published(const std::string& name) {
  return text_of(BTA_TEST_DATA "/models/" + name + "/config.json");
}

/// The smallest config.json of a family: `members` besides what every one has.
std::string config(const std::string& type, const std::string& members) {
  return R"({"model_type": ")" + type +
         R"(", "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4,
 "num_key_value_heads": 2, "vocab_size": 100, "tie_word_embeddings": false, "intermediate_size": 96)" +
         members + "}";
}
const std::string qwen_experts =
    R"(, "head_dim": 16, "num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32)";

bool is_moe(const bta::Model& model, std::size_t layer) {
  return std::holds_alternative<bta::MoeMlp>(model.layers.at(layer).feed_forward);
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("a Qwen3-MoE config uses the expert width, not the dense width beside it") {
  const bta::Model model = good(model_from_json(published("qwen3-30b-a3b")));
  REQUIRE(model.layers.size() == 48);
  CHECK(moe_at(model, 47) == bta::MoeMlp{128, 8, 768, true, 0, false});
  CHECK(attention_of(model) == bta::GroupedQueryAttention{32, 4, 128, 128, QkNorm::per_head, false, false});
}

TEST_CASE("a Qwen2-MoE config has biased q, k, v and a gated shared expert, its unused window is no window") {
  const bta::Model model = good(model_from_json(published("qwen1.5-moe-a2.7b")));
  CHECK(attention_of(model) == bta::GroupedQueryAttention{16, 16, 128, 128, QkNorm::none, true, false});
  CHECK(moe_at(model) == bta::MoeMlp{60, 4, 1408, true, 5632, true});
}

TEST_CASE("Mixtral's and OLMoE's experts have the width that others call dense") {
  CHECK(moe_at(good(model_from_json(published("mixtral-8x7b")))) == bta::MoeMlp{8, 2, 14336, true, 0, false});
  const bta::Model olmoe = good(model_from_json(published("olmoe-1b-7b")));
  CHECK(moe_at(olmoe) == bta::MoeMlp{64, 8, 1024, true, 0, false});
  CHECK(attention_of(olmoe).qk_norm == QkNorm::projection);
}

TEST_CASE("head_dim is what the file says, also when it is not hidden_size / heads") {
  const bta::Model model = good(model_from_json(published("qwen3-4b")));
  CHECK(model.hidden == 2560);
  CHECK(attention_of(model).heads == 32);
  CHECK(attention_of(model).qk_head_dim == 128);
  CHECK(model.tied_embeddings);
}

TEST_CASE(
    "an absent head_dim is the family's or derived, and noted, or an error when it is no whole number") {
  const bta::Model model = good(model_from_json(with(published("qwen3-4b"), "\"head_dim\": 128,", "")));
  CHECK(attention_of(model).qk_head_dim == 128);
  CHECK(model.notes.front() == "head_dim is absent: qwen3 takes 128");
  const bta::Model null =
      good(model_from_json(with(published("qwen3-4b"), "\"head_dim\": 128", "\"head_dim\": null")));
  CHECK(attention_of(null).qk_head_dim == 80);
  const bta::Model oss = good(model_from_json(with(published("gpt-oss-20b"), "\"head_dim\": 64,", "")));
  CHECK(oss.layers == good(model_from_json(published("gpt-oss-20b"))).layers);
  CHECK(oss.notes == std::vector<std::string>{"head_dim is absent: gpt_oss takes 64"});
  const bta::Model derived = good(model_from_json(config("llama", "")));
  CHECK(derived.notes.front() == "head_dim is absent: taken as hidden_size / num_attention_heads = 16");
  CHECK(
      problems(model_from_json(with(with(config("llama", ""), "64", "1792"), "heads\": 4", "heads\": 24"))) ==
      "config.json:1:1: error: head_dim: 'head_dim' is absent and cannot be derived: hidden_size = 1792 is "
      "not a "
      "multiple of num_attention_heads = 24\n");
}

TEST_CASE("null head_dim and KV heads are as absent ones") {
  const std::string null_heads =
      with(with(published("mixtral-8x7b"), "\"num_key_value_heads\": 8", "\"num_key_value_heads\": null"),
           "\"vocab_size\"", "\"head_dim\": null, \"vocab_size\"");
  const bta::Model model = good(model_from_json(null_heads));
  CHECK(attention_of(model).kv_heads == 32);
  CHECK(attention_of(model).qk_head_dim == 128);
  CHECK(model.notes ==
        std::vector<std::string>{"num_key_value_heads is absent: taken as num_attention_heads = 32",
                                 "head_dim is absent: taken as hidden_size / num_attention_heads = 128"});
}

TEST_CASE("no dimension is defaulted") {
  CHECK(problems(model_from_json(R"({"architectures": ["Qwen3MoeForCausalLM"]})")) ==
        "config.json:1:1: error: hidden_size: the required key 'hidden_size' is missing\n"
        "config.json:1:1: error: num_hidden_layers: the required key 'num_hidden_layers' is missing\n"
        "config.json:1:1: error: num_key_value_heads: the required key 'num_key_value_heads' is missing\n"
        "config.json:1:1: error: num_attention_heads: the required key 'num_attention_heads' is missing\n"
        "config.json:1:1: error: num_experts: the required key 'num_experts' is missing\n"
        "config.json:1:1: error: num_experts_per_tok: the required key 'num_experts_per_tok' is missing\n"
        "config.json:1:1: error: moe_intermediate_size: the required key 'moe_intermediate_size' is missing\n"
        "config.json:1:1: error: vocab_size: the required key 'vocab_size' is missing\n");
}

TEST_CASE("absent tying is the family's, and noted") {
  const bta::Model model =
      good(model_from_json(with(config("llama", ""), "\"tie_word_embeddings\": false, ", "")));
  CHECK_FALSE(model.tied_embeddings);
  CHECK(model.notes.back() == "tie_word_embeddings is absent: llama takes false");
}

TEST_CASE("biases are read where a family has them") {
  const auto llama = good(model_from_json(config("llama", R"(, "attention_bias": true, "mlp_bias": true)")));
  CHECK(attention_of(llama).qkv_bias);
  CHECK(attention_of(llama).output_bias);
  CHECK(dense_at(llama).bias);
  const auto qwen3 = good(model_from_json(config("qwen3", R"(, "attention_bias": true)")));
  CHECK(attention_of(qwen3).qkv_bias);
  CHECK(attention_of(qwen3).output_bias);
  const std::string shared = qwen_experts + R"(, "shared_expert_intermediate_size": 40)";
  CHECK(attention_of(good(model_from_json(config("qwen2_moe", shared)))).qkv_bias);
  CHECK_FALSE(
      attention_of(good(model_from_json(config("qwen2_moe", shared + R"(, "qkv_bias": false)")))).qkv_bias);
}

TEST_CASE("two spellings of one value must agree") {
  const std::string two = R"(, "n_routed_experts": 168, "num_experts": 256, "num_experts_per_tok": 2,
 "moe_intermediate_size": 32)";
  CHECK(problems(model_from_json(config("qwen3_moe", two))) ==
        "config.json:2:122: error: n_routed_experts: 'n_routed_experts' is 168 but 'num_experts' is 256; "
        "they mean "
        "the same, so they must be equal or one must go\n");
  CHECK(moe_at(good(model_from_json(config("qwen3_moe", with(two, "168", "256"))))).experts == 256);
  CHECK(moe_at(good(model_from_json(config("qwen3_moe", with(two, "168", "null"))))).experts == 256);
  CHECK(problems(model_from_json(config("mixtral", R"(, "num_local_experts": 8, "num_experts": 4,
 "num_experts_per_tok": 2)"))) ==
        "config.json:2:123: error: num_local_experts: 'num_local_experts' is 8 but 'num_experts' is 4; "
        "they mean "
        "the same, so they must be equal or one must go\n");
  CHECK(problems(model_from_json(config("mixtral", R"(, "num_local_experts": 8, "num_experts_per_tok": 2,
 "moe_intermediate_size": 32)"))) ==
        "config.json:3:27: error: moe_intermediate_size: 'moe_intermediate_size' is 32 but "
        "'intermediate_size' is "
        "96; they mean the same, so they must be equal or one must go\n");
}

TEST_CASE("a layer is MoE when the schedule says so") {
  const auto stepped =
      good(model_from_json(config("qwen3_moe", qwen_experts + R"(, "decoder_sparse_step": 2)")));
  CHECK_FALSE(is_moe(stepped, 0));
  CHECK(is_moe(stepped, 1));
  CHECK_FALSE(is_moe(stepped, 2));
  CHECK(is_moe(stepped, 3));
  CHECK(dense_at(stepped, 0).width == 96);
  const auto listed =
      good(model_from_json(config("qwen3_moe", qwen_experts + R"(, "mlp_only_layers": [0, 3])")));
  CHECK_FALSE(is_moe(listed, 0));
  CHECK(is_moe(listed, 1));
  CHECK_FALSE(is_moe(listed, 3));
}

TEST_CASE("a nested text_config is used and named") {
  const std::string inner = published("qwen3-30b-a3b");
  const bta::Model model =
      good(model_from_json(R"({"text_config": )" + inner + R"(, "vision_config": {"depth": 3}})"));
  CHECK(model.layers == good(model_from_json(inner)).layers);
  CHECK(model.vocabulary == 151936);
  CHECK(model.notes.front() ==
        "read from the nested text_config; the file around it completes it with keys that it lacks");
}

TEST_CASE("a wrapper around a known text model is named, and outer keys complete inner ones") {
  const bta::Model model =
      good(model_from_json(R"({"architectures": ["LlavaForConditionalGeneration"],
 "model_type": "llava", "tie_word_embeddings": true, "text_config": )" +
                           with(config("llama", ""), "\"tie_word_embeddings\": false, ", "") + "}"));
  CHECK(model.tied_embeddings);
  CHECK(model.notes[1] == "architectures is 'LlavaForConditionalGeneration': only its text model is read");
  CHECK(model.notes[2] == "model_type is 'llava': only its text model is read");
}

TEST_CASE("text_config and the file around it must not contradict each other") {
  CHECK(problems(model_from_json(R"({"hidden_size": 128, "text_config": )" + config("llama", "") + "}")) ==
        "config.json:1:17: error: hidden_size: 'hidden_size' is 128 here but 64 in text_config; they must be "
        "equal or one must go\n");
}

TEST_CASE("a list in text_config and a number around it contradict each other") {
  CHECK(problems(
            model_from_json(R"({"hidden_act": "silu", "num_attention_heads": [4, 4, 4, 4], "text_config": )" +
                            config("llama", "") + "}"))
            .starts_with(
                "config.json:1:47: error: num_attention_heads: 'num_attention_heads' is a list here but "
                "4 in text_config; they must be equal or one must go"));
}

TEST_CASE("keys around a text_config that are of other parts are not judged") {
  const std::string outer = R"({"multimodal_projector_bias": true, "mm_hidden_size": 8, "text_config": )";
  CHECK(problems(model_from_json(outer + config("llama", "") + "}")).empty());
}

TEST_CASE("the name is declared, the checkpoint's, or the folder's, never a path") {
  const auto name_of = [](const std::string& members) {
    return good(model_from_json(config("llama", members))).name;
  };
  CHECK(name_of("") == "folder");
  CHECK(name_of(R"(, "_name_or_path": "")") == "folder");
  CHECK(name_of(R"(, "_name_or_path": "Qwen/Qwen3-8B")") == "Qwen3-8B");
  CHECK(name_of(R"(, "_name_or_path": "/data/models/my-llama/")") == "my-llama");
  CHECK(name_of(R"(, "_name_or_path": "C:\\models\\mine")") == "mine");
  CHECK(name_of(R"(, "_name_or_path": "..")") == "folder");
  CHECK(name_of(R"(, "_name_or_path": "plain")") == "plain");
}

TEST_SUITE_END();

}  // namespace
