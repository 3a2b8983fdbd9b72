// Feed-forwards of a config.json: which layers are MoE layers, how wide shared experts are, the names and
// lists that sizes are written with.
#include <algorithm>

#include "model/parameters.h"
#include "unit/input/input_support.h"

namespace {

using namespace bta::test;

std::string config(const std::string& type, const std::string& members) {
  return R"({"model_type": ")" + type + R"(", "hidden_size": 64, "num_hidden_layers": 6,
 "num_attention_heads": 4, "num_key_value_heads": 4, "vocab_size": 100, "tie_word_embeddings": false,
 "intermediate_size": 96, "num_experts": 8, "num_experts_per_tok": 2)" +
         members + "}";
}
std::string deepseek(const std::string& members) {
  return config("deepseek", R"(, "moe_intermediate_size": 32)" + members);
}
/// One letter a layer: M for MoE, d for dense.
std::string layers(const std::string& text) {
  std::string kinds;
  for (const bta::Layer& layer : good(model_from_json(text)).layers)
    kinds += std::holds_alternative<bta::MoeMlp>(layer.feed_forward) ? 'M' : 'd';
  return kinds;
}
std::string refused(const std::string& text) {
  return problems(model_from_json(text));
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("leading layers are dense, then those that moe_layer_freq divides or lists are MoE") {
  CHECK(layers(deepseek(R"(, "first_k_dense_replace": 2)")) == "ddMMMM");
  CHECK(layers(deepseek(R"(, "first_k_dense_replace": 1, "moe_layer_freq": 2)")) == "ddMdMd");
  CHECK(layers(deepseek(R"(, "first_k_dense_replace": 0, "moe_layer_freq": [0, 1, 1, 0, 1, 1])")) ==
        "dMMdMM");
  CHECK(refused(deepseek(R"(, "first_k_dense_replace": 0,
 "moe_layer_freq": [0, 1])")) ==
        "config.json:4:20: error: moe_layer_freq: 'moe_layer_freq' must be a list of 6 entries, one a layer, "
        "each "
        "0 or 1\n");
}

TEST_CASE("an absent first_k_dense_replace is the family's, and noted") {
  const bta::Model model = good(model_from_json(config("glm4_moe", R"(, "moe_intermediate_size": 32)")));
  CHECK_FALSE(std::holds_alternative<bta::MoeMlp>(model.layers[0].feed_forward));
  CHECK(model.notes[5] == "first_k_dense_replace is absent: glm4_moe takes 1");
}

TEST_CASE("Llama 4 interleaves by a step or a list, which must not contradict each other") {
  const std::string wide = R"(, "intermediate_size_mlp": 128)";
  CHECK(layers(config("llama4_text", wide)) == "MMMMMM");
  CHECK(layers(config("llama4_text", wide + R"(, "interleave_moe_layer_step": 2)")) == "dMdMdM");
  CHECK(layers(config("llama4_text", wide + R"(, "moe_layers": [0, 5])")) == "MddddM");
  CHECK(dense_at(good(model_from_json(config("llama4_text", wide + R"(, "moe_layers": [0])"))), 1).width ==
        128);
  CHECK(refused(config("llama4_text", wide + R"(,
 "interleave_moe_layer_step": 2, "moe_layers": [0, 5])")) ==
        "config.json:4:48: error: moe_layers: 'moe_layers' lists other layers than "
        "'interleave_moe_layer_step' is 2 for; they mean the same, so they must be equal or one must go\n");
}

TEST_CASE("a schedule without a MoE layer is refused") {
  CHECK(refused(deepseek(R"(,
 "first_k_dense_replace": 6)")) ==
        "config.json:4:27: error: first_k_dense_replace: 'first_k_dense_replace' is 6: no layer of 6 has "
        "experts, "
        "but deepseek is a MoE family\n");
  CHECK(refused(deepseek(R"(, "moe_layer_freq": [0, 0, 0, 0, 0, 0])"))
            .ends_with(
                "'moe_layer_freq' is a list: no layer of 6 has experts, but deepseek is a MoE family\n"));
  CHECK(refused(config("qwen3_moe", R"(, "moe_intermediate_size": 32, "decoder_sparse_step": 7)"))
            .ends_with(
                "'decoder_sparse_step' is 7: no layer of 6 has experts, but qwen3_moe is a MoE family\n"));
  CHECK(
      refused(config("llama4_text", R"(, "moe_layers": [])"))
          .ends_with("'moe_layers' is a list: no layer of 6 has experts, but llama4_text is a MoE family\n"));
}

TEST_CASE("an index of a layer that is not there is refused") {
  const std::string range = "a whole number from 0 to 5 is needed\n";
  CHECK(refused(config("qwen3_moe", R"(, "moe_intermediate_size": 32, "mlp_only_layers": [6])"))
            .ends_with(range));
  CHECK(refused(config("llama4_text", R"(, "moe_layers": [99])")).ends_with(range));
  CHECK(refused(config("ernie4_5_moe", R"(, "moe_intermediate_size": 32, "moe_layer_end_index": 6)"))
            .ends_with("a whole number from -1 to 5 is needed\n"));
}

TEST_CASE("the names of a dense width must agree with that of experts in every layer") {
  CHECK(refused(config("mixtral", R"(,
 "ffn_hidden_size": 1)")) ==
        "config.json:4:21: error: ffn_hidden_size: 'ffn_hidden_size' is 1 but 'intermediate_size' is 96; "
        "they mean "
        "the same, so they must be equal or one must go\n");
  CHECK(refused(config("llama4_text", R"(, "intermediate_size_mlp": 8, "n_inner": 9)"))
            .ends_with(
                "'n_inner' is 9 but 'intermediate_size_mlp' is 8; they mean the same, so they must be equal "
                "or one must go\n"));
}

TEST_CASE("ERNIE's MoE layers lie in a range of indices") {
  const std::string ernie = R"(, "moe_intermediate_size": 32, "moe_layer_start_index": 1)";
  CHECK(layers(config("ernie4_5_moe", ernie)) == "dMMMMM");
  CHECK(layers(config("ernie4_5_moe", ernie + R"(, "moe_layer_end_index": -1)")) == "dMMMMM");
  CHECK(layers(config("ernie4_5_moe", ernie + R"(, "moe_layer_end_index": 3)")) == "dMMMdd");
  CHECK(layers(config("ernie4_5_moe", ernie + R"(, "moe_layer_interval": 2)")) == "dMdMdM");
}

TEST_CASE("shared experts are counted, given a width, or one") {
  const auto shared = [](const std::string& text) {
    return moe_at(good(model_from_json(text)), 5).shared_width;
  };
  CHECK(shared(deepseek(R"(, "n_shared_experts": 2)")) == 64);
  CHECK(shared(deepseek(R"(, "num_shared_experts": 3)")) == 96);
  CHECK(shared(deepseek("")) == 0);
  CHECK(shared(config("granitemoeshared", R"(, "shared_intermediate_size": 40)")) == 40);
  CHECK(shared(config("granitemoeshared", R"(, "shared_intermediate_size": 0)")) == 0);
  CHECK(shared(config("llama4_text", "")) == 96);
  CHECK(refused(config("bailing_moe_v2", R"(, "moe_intermediate_size": 32, "num_shared_experts": 2,
 "moe_shared_expert_intermediate_size": 48)")) ==
        "config.json:4:41: error: moe_shared_expert_intermediate_size: 'moe_shared_expert_intermediate_size' "
        "is "
        "48 but shared experts of bailing_moe_v2 have a width of 32 each and 64 together\n");
}

TEST_CASE("an absent count of shared experts is what the family's code takes, noted, or an error") {
  const auto without = [](const std::string& name, const std::string& member) {
    return model_from_json(
        with(text_of(BTA_TEST_DATA "/models/" + name + "/config.json"), member, "\"x\": 1"));
  };
  const auto noted = [](const bta::Model& model, const std::string& note) {
    return std::count(model.notes.begin(), model.notes.end(), note) == 1;
  };
  const bta::Model v3 = good(without("deepseek-v3", "\"n_shared_experts\": 1"));
  CHECK(bta::count_parameters(v3).total() == 671'026'419'200);
  CHECK(noted(v3, "n_shared_experts is absent: deepseek_v3 takes 1"));
  CHECK(noted(good(without("glm-4.5-air", "\"n_shared_experts\": 1")),
              "n_shared_experts is absent: glm4_moe takes 1"));
  CHECK(noted(good(without("deepseek-v2", "\"n_shared_experts\": 2")),
              "n_shared_experts is absent: deepseek_v2 takes 2"));
  CHECK(noted(good(without("ernie-4.5-21b-a3b", "\"moe_num_shared_experts\": 2")),
              "n_shared_experts is absent: ernie4_5_moe takes 2"));
  CHECK(noted(good(without("ling-lite-1.5", "\"num_shared_experts\": 2")),
              "n_shared_experts is absent: bailing_moe takes 0"));
  CHECK(problems(without("dots.llm1", "\"n_shared_experts\": 2")) ==
        "config.json:1:1: error: n_shared_experts: the required key 'n_shared_experts' is missing\n");
}

TEST_CASE("a null count of shared experts is none where the family's code says so, else an error") {
  CHECK(moe_at(good(model_from_json(deepseek(R"(, "num_shared_experts": null)"))), 5).shared_width == 0);
  CHECK(refused(config("glm4_moe", R"(, "moe_intermediate_size": 32,
 "n_shared_experts": null)"))
            .ends_with("the required key 'n_shared_experts' is empty\n"));
}

TEST_CASE("shared experts that are too wide together are an error of their count") {
  CHECK(refused(config("deepseek", R"(, "moe_intermediate_size": 4194304,
 "n_shared_experts": 2)")) ==
        "config.json:4:22: error: n_shared_experts: 'n_shared_experts' is 2: shared experts of width 4194304 "
        "are "
        "8388608 wide together, more than 4194304\n");
}

TEST_CASE("an absent step between MoE layers is the family's, and noted where its code has the key") {
  const auto notes = [](const std::string& text) { return good(model_from_json(text)).notes; };
  const auto holds = [](const std::vector<std::string>& all, const std::string& note) {
    return std::find(all.begin(), all.end(), note) != all.end();
  };
  CHECK(holds(notes(config("llama4_text", "")), "interleave_moe_layer_step is absent: llama4_text takes 1"));
  CHECK_FALSE(holds(notes(config("llama4_text", R"(, "intermediate_size_mlp": 8, "moe_layers": [0])")),
                    "interleave_moe_layer_step is absent: llama4_text takes 1"));
  CHECK(holds(notes(deepseek("")), "moe_layer_freq is absent: deepseek takes 1"));
  CHECK(holds(notes(config("qwen3_moe", R"(, "moe_intermediate_size": 32)")),
              "decoder_sparse_step is absent: qwen3_moe takes 1"));
  CHECK(holds(notes(config("ernie4_5_moe", R"(, "moe_intermediate_size": 32)")),
              "moe_layer_interval is absent: ernie4_5_moe takes 1"));
}

TEST_CASE("a list with the same entry for every layer is that number") {
  const auto hunyuan = [](const std::string& top_k) {
    return with(config("hunyuan_v1_moe", R"(, "moe_intermediate_size": [96, 96, 96, 96, 96, 96],
 "num_shared_expert": [1, 1, 1, 1, 1, 1], "moe_topk": )" +
                                             top_k),
                R"(, "num_experts_per_tok": 2)", "");
  };
  const bta::Model model = good(model_from_json(hunyuan("[2, 2, 2, 2, 2, 2]")));
  CHECK(moe_at(model).top_k == 2);
  CHECK(moe_at(model).width == 96);
  CHECK(moe_at(model).shared_width == 96);
  CHECK(refused(hunyuan("[2, 2, 2, 2, 2, 4]")) ==
        "config.json:4:71: error: moe_topk: entry 5 of the list is 4 but entry 0 is 2: layers that "
        "differ in "
        "'moe_topk' are not modelled\n");
  CHECK(refused(hunyuan("[2, 2, 2]")) ==
        "config.json:4:55: error: moe_topk: the list has 3 entries for 6 layers; one for each is needed\n");
}

TEST_CASE("a list with more entries than layers is refused") {
  CHECK(refused(config("mixtral", R"(,
 "head_dim": [16, 16, 16, 16, 16, 16, 16])")) ==
        "config.json:4:14: error: head_dim: the list has 7 entries for 6 layers; one for each is needed\n");
}

TEST_CASE("a switch that is off takes its keys with it, one that is on is refused") {
  const std::string off =
      R"(, "use_cla": false, "cla_share_factor": 2, "use_mla": false, "kv_lora_rank": 512)";
  CHECK(refused(config("hunyuan_v1_moe", off)).empty());
  CHECK(refused(config("hunyuan_v1_moe", R"(, "num_shared_expert": 1,
 "use_cla": true)")) ==
        "config.json:4:13: error: use_cla: 'use_cla' is true: this changes the arithmetic in a way that is "
        "not "
        "known here for hunyuan_v1_moe, so the file is refused\n");
  CHECK(refused(config("bailing_moe", R"(, "moe_intermediate_size": 32, "use_sliding_window": false,
 "sliding_window": 4096)"))
            .empty());
}

TEST_CASE("KV heads may be absent only where the family's code then takes as many as heads") {
  const auto without = [](const std::string& type) {
    return with(config(type, ""), "\"num_key_value_heads\": 4, ", "");
  };
  CHECK(attention_of(good(model_from_json(without("olmoe")))).kv_heads == 4);
  CHECK(refused(without("mixtral")) ==
        "config.json:1:1: error: num_key_value_heads: the required key 'num_key_value_heads' is missing\n");
  CHECK(attention_of(good(model_from_json(
                         with(config("mixtral", ""), "heads\": 4, \"vocab", "heads\": null, \"vocab"))))
            .kv_heads == 4);
}

TEST_CASE("sizes in attn_config and ffn_config are read, what they repeat of the file is not") {
  const std::string dbrx =
      R"({"model_type": "dbrx", "d_model": 64, "n_heads": 4, "n_layers": 2, "vocab_size": 100,
 "tie_word_embeddings": false,
 "attn_config": {"model_type": "", "tie_word_embeddings": true, "kv_n_heads": 2},
 "ffn_config": {"model_type": "", "ffn_act_fn": {"name": "silu"}, "ffn_hidden_size": 96, "moe_num_experts": 8,
 "moe_top_k": 2, "top_k": 50}})";
  const bta::Model model = good(model_from_json(dbrx));
  CHECK_FALSE(model.tied_embeddings);
  CHECK(attention_of(model).kv_heads == 2);
  CHECK(moe_at(model) == bta::MoeMlp{8, 2, 96});
  CHECK(refused(with(dbrx, "\"vocab_size\"", "\"moe_top_k\": 3, \"vocab_size\"")) ==
        "config.json:1:81: error: moe_top_k: 'moe_top_k' is 3 here but 2 in ffn_config; they must be equal "
        "or one must go\n");
}

TEST_CASE("MTP that is switched off is not counted, and not told") {
  const std::string m2 = R"(, "num_mtp_modules": 3, "mtp_transformer_layers": 1)";
  const bta::Model off = good(model_from_json(config("minimax_m2", m2 + R"(, "use_mtp": false)")));
  for (const std::string& note : off.notes) CHECK(note.find("MTP") == std::string::npos);
  const bta::Model on = good(model_from_json(config("minimax_m2", m2 + R"(, "use_mtp": true)")));
  CHECK(on.notes.back() == "num_mtp_modules 3: MTP is left out of every number");
  CHECK(on.beside.empty());
}

TEST_CASE("a key is of MTP by its whole name") {
  CHECK(refused(config("minimax_m2", R"(,
 "mtp_weird_expert_bias": true)")) ==
        "config.json:4:27: error: mtp_weird_expert_bias: 'mtp_weird_expert_bias' is true: this changes the "
        "arithmetic in a way that is not known here for minimax_m2, so the file is refused\n");
}

TEST_CASE("vision with more parameters than can be kept is an error of the file") {
  const std::string huge = R"({"model_type": "llama4", "text_config": )" + config("llama4_text", "") + R"(,
 "vision_config": {"hidden_size": 1048576, "intermediate_size": 1048576, "patch_size": 1, "num_channels": 1,
 "num_hidden_layers": 4096, "image_size": 1, "projector_input_dim": 1, "projector_output_dim": 1,
 "vision_output_dim": 1}})";
  CHECK(refused(huge).starts_with("config.json:4:19: error: vision_config: its "));
}

TEST_CASE("vision that is not known is told, not counted") {
  const bta::Model model = good(
      model_from_json(R"({"model_type": "qwen3_vl_moe", "vision_config": {"depth": 27}, "text_config": )" +
                      config("qwen3_vl_moe_text", R"(, "moe_intermediate_size": 32)") + "}"));
  CHECK(model.beside.empty());
  CHECK(model.notes.back() == "vision_config: vision is left out of every number");
}

TEST_SUITE_END();

}  // namespace
