// The keys of latent attention, of layers that differ, and of everything beside the usual decoder.
#include "unit/input/input_support.h"

namespace {

using namespace bta::test;
using bta::GroupedQueryAttention;
using bta::LatentAttention;
using bta::Model;
using bta::Window;

std::string problems_of(const std::string& more) {
  return problems(model_from_yaml(tiny_model + more));
}

const std::string latent_model =
    "hidden_size: 64\n"
    "num_layers: 3\n"
    "num_heads: 4\n"
    "kv_lora_rank: 24\n"
    "qk_nope_head_dim: 16\n"
    "qk_rope_head_dim: 8\n"
    "v_head_dim: 12\n"
    "intermediate_size: 96\n"
    "vocab_size: 100\n"
    "tie_embeddings: false\n";

Model four_layers(const std::string& more) {
  return good(model_from_yaml(with(tiny_model, "num_layers: 2", "num_layers: 4") + more));
}

std::vector<std::optional<Window>> windows_of(const Model& model) {
  std::vector<std::optional<Window>> windows;
  for (std::size_t i = 0; i < model.layers.size(); ++i) windows.push_back(attention_of(model, i).window);
  return windows;
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("a head's parts may differ in size: v_head_dim, rotary_dim") {
  const Model model = good(model_from_yaml(tiny_model + "v_head_dim: 12\nrotary_dim: 4\n"));
  CHECK(attention_of(model).qk_head_dim == 16);
  CHECK(attention_of(model).v_head_dim == 12);
  CHECK(attention_of(model).rotated() == 4);
  CHECK(attention_of(good(model_from_yaml(tiny_model + "rotary_dim: 0\n"))).rotated() == 0);
  CHECK_FALSE(attention_of(good(model_from_yaml(tiny_model + "rotary_dim: 16\n"))).rotary_dim);
  CHECK(problems_of("rotary_dim: 17\n") ==
        "m.yaml:11:13: error: rotary_dim: rotary_dim = 17 is more than head_dim = 16; give at most head_dim, "
        "or "
        "leave it out: then whole heads are rotated\n");
}

TEST_CASE("q/k norm without a gain, sinks, and the biases of attention and head reach their fields") {
  const Model model = good(model_from_yaml(
      tiny_model + "qk_norm: unit\nattention_sinks: true\nlm_head_bias: true\nposition_embeddings: 77\n"));
  CHECK(attention_of(model).qk_norm == bta::QkNorm::unit);
  CHECK(attention_of(model).sinks);
  CHECK(model.head_bias);
  CHECK(model.positions == 77);
}

TEST_CASE("norms and blocks of another kind hold for all layers, a bias for the last norm too") {
  const Model model =
      good(model_from_yaml(tiny_model + "norm_bias: true\nparallel_block: true\npost_norms: true\n"));
  CHECK(model.norm_bias);
  for (const bta::Layer& layer : model.layers) {
    CHECK(layer.norm_bias);
    CHECK(layer.parallel);
    CHECK(layer.post_norms);
  }
}

TEST_CASE("router and experts may have biases, a dense model has neither") {
  const Model model = good(
      model_from_yaml(tiny_model + "router_bias: true\nrouter_selection_bias: true\nexpert_bias: true\n"));
  CHECK(moe_at(model) == bta::MoeMlp{8, 2, 32, true, 0, false, true, true, true});
  for (const std::string key : {"router_bias", "router_selection_bias", "expert_bias"})
    CHECK(problems(model_from_yaml(latent_model + key + ": true\n")) ==
          "m.yaml:11:" + std::to_string(key.size() + 3) + ": error: " + key + ": '" + key +
              "' has no effect: num_experts is absent, so every layer has a dense MLP\n");
}

TEST_CASE("latent attention is there when kv_lora_rank is") {
  const Model model = good(model_from_yaml(latent_model));
  REQUIRE(model.layers.size() == 3);
  for (const bta::Layer& layer : model.layers)
    CHECK(std::get<LatentAttention>(layer.attention) == LatentAttention{4, 0, 24, 16, 8, 12, false});
  CHECK(model.notes.empty());
  const Model ranks = good(model_from_yaml(latent_model + "q_lora_rank: 40\nlatent_bias: true\n"));
  CHECK(std::get<LatentAttention>(ranks.layers[0].attention) == LatentAttention{4, 40, 24, 16, 8, 12, true});
  const Model direct = good(model_from_yaml(latent_model + "q_lora_rank: null\n"));
  CHECK(std::get<LatentAttention>(direct.layers[0].attention).q_rank == 0);
}

TEST_CASE("latent attention needs all its sizes") {
  CHECK(problems(model_from_yaml(with(latent_model, "v_head_dim: 12\n", ""))) ==
        "m.yaml:1:1: error: v_head_dim: the required key 'v_head_dim' is missing\n");
  CHECK(problems(model_from_yaml(with(with(latent_model, "nope_head_dim: 16", "nope_head_dim: 0"),
                                      "rope_head_dim: 8", "rope_head_dim: 0"))) ==
        "m.yaml:5:19: error: qk_nope_head_dim: qk_nope_head_dim and qk_rope_head_dim are both 0; queries and "
        "keys need a size, so give at least one of them\n");
}

TEST_CASE("keys of the other kind of attention are refused") {
  for (const std::string line :
       {"num_kv_heads: 4", "head_dim: 16", "rotary_dim: 4", "qk_norm: none", "qkv_bias: false",
        "attention_output_bias: true", "attention_sinks: true", "sliding_window: 4",
        "sliding_window_layers: [0]", "attention_chunk_size: 4", "chunked_layers: [0]", "nope_layers: [0]"}) {
    const std::string key = line.substr(0, line.find(':'));
    CHECK(problems(model_from_yaml(latent_model + line + "\n")) ==
          "m.yaml:11:" + std::to_string(key.size() + 3) + ": error: " + key + ": '" + key +
              "' has no effect: kv_lora_rank is given, so attention is latent; leave it out\n");
  }
  for (const std::string line :
       {"q_lora_rank: 4", "qk_nope_head_dim: 16", "qk_rope_head_dim: 4", "latent_bias: false"}) {
    const std::string key = line.substr(0, line.find(':'));
    CHECK(problems_of(line + "\n") ==
          "m.yaml:11:" + std::to_string(key.size() + 3) + ": error: " + key + ": '" + key +
              "' has no effect: kv_lora_rank is absent, so attention is not latent; give it, or leave this "
              "out\n");
  }
}

TEST_CASE("windows and chunks hold for the listed layers") {
  const Window window{8}, chunk{4, true};
  CHECK(windows_of(four_layers("sliding_window: 8\nsliding_window_layers: [2, 0]\n")) ==
        std::vector<std::optional<Window>>{window, {}, window, {}});
  CHECK(windows_of(four_layers("attention_chunk_size: 4\n")) == std::vector<std::optional<Window>>(4, chunk));
  CHECK(windows_of(four_layers("sliding_window: 8\nsliding_window_layers: [0]\n"
                               "attention_chunk_size: 4\nchunked_layers: [1, 2]\n")) ==
        std::vector<std::optional<Window>>{window, chunk, chunk, {}});
}

TEST_CASE("a layer has a window or a chunk, not both") {
  const std::string tail =
      "; keep one of them, or give each its own layers in sliding_window_layers and chunked_layers\n";
  CHECK(problems_of("sliding_window: 8\nattention_chunk_size: 4\n") ==
        "m.yaml:12:23: error: attention_chunk_size: sliding_window and attention_chunk_size both hold for "
        "layer 0" +
            tail);
  CHECK(problems_of("sliding_window: 8\nattention_chunk_size: 4\nchunked_layers: [1]\n") ==
        "m.yaml:12:23: error: attention_chunk_size: sliding_window and attention_chunk_size both hold for "
        "layer 1" +
            tail);
}

TEST_CASE("a list of layers without what it is about is refused") {
  CHECK(
      problems_of("sliding_window_layers: [0]\n") ==
      "m.yaml:11:24: error: sliding_window_layers: 'sliding_window_layers' has no effect: sliding_window is "
      "absent; give it, or leave the list out\n");
  CHECK(
      problems_of("chunked_layers: [0]\n") ==
      "m.yaml:11:17: error: chunked_layers: 'chunked_layers' has no effect: attention_chunk_size is absent; "
      "give it, or leave the list out\n");
}

TEST_CASE("a list of layers names each once, at least one, and none beyond the last") {
  const std::string window = "sliding_window: 8\nsliding_window_layers: ";
  CHECK(
      problems_of(window + "[2]\n") ==
      "m.yaml:12:25: error: sliding_window_layers: '2' is too large; a whole number from 0 to 1 is needed\n");
  CHECK(problems_of(window + "[1, 1]\n") ==
        "m.yaml:12:28: error: sliding_window_layers: '1' stands twice in the list\n");
  CHECK(problems_of("dense_layers: []\n") ==
        "m.yaml:11:15: error: dense_layers: 'dense_layers' lists no layer; name those it is about, from 0 to "
        "1, "
        "or leave it out\n");
  CHECK(
      problems_of(window + "[]\n") ==
      "m.yaml:12:24: error: sliding_window_layers: 'sliding_window_layers' lists no layer; name those it is "
      "about, from 0 to 1, or leave it out\n");
  CHECK(problems_of(window + "1\n") ==
        "m.yaml:12:24: error: sliding_window_layers: '1' stands where a list of whole numbers is needed\n");
}

TEST_CASE("nope_layers have neither rotary embedding nor q/k norm") {
  const Model model = four_layers("qk_norm: unit\nnope_layers: [3]\n");
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(attention_of(model, i).rotated() == (i == 3 ? 0 : 16));
    CHECK(attention_of(model, i).qk_norm == (i == 3 ? bta::QkNorm::none : bta::QkNorm::unit));
  }
  CHECK(
      problems_of("rotary_dim: 0\nnope_layers: [1]\n") ==
      "m.yaml:12:14: error: nope_layers: 'nope_layers' has no effect: rotary_dim is 0 and qk_norm is none in "
      "every layer; leave the list out\n");
  CHECK(problems_of("nope_layers: [0, 1]\n") ==
        "m.yaml:11:14: error: nope_layers: nope_layers lists every layer; write rotary_dim: 0 and leave "
        "qk_norm "
        "and the list out\n");
}

TEST_CASE("parts beside the language model are counted apart") {
  const Model model = good(model_from_yaml(tiny_model + "vision_parameters: 5000\nmtp_parameters: 1e3\n"));
  CHECK(model.beside == std::vector<bta::ModelPart>{{"MTP", 1000}, {"vision", 5000}});
  CHECK(problems_of("mtp_parameters: 0\n") ==
        "m.yaml:11:17: error: mtp_parameters: '0' is too small; a whole number from 1 to 9007199254740992 is "
        "needed\n");
}

TEST_CASE("notes are texts of one line, before those of the reader") {
  const Model model =
      good(model_from_yaml(with(tiny_model, "head_dim: 16\n", "") + "notes:\n  - \"one: 1\"\n  - two\n"));
  CHECK(model.notes == std::vector<std::string>{"one: 1", "two",
                                                "head_dim is absent: taken as hidden_size / num_heads = 16"});
  CHECK(problems_of("notes: one\n") ==
        "m.yaml:11:8: error: notes: 'one' stands where a list of texts is needed\n");
  CHECK(problems_of("notes: [[one]]\n") ==
        "m.yaml:11:9: error: notes: a list stands where a text is needed\n");
  CHECK(problems_of("notes: [\"a\\nb\"]\n") ==
        "m.yaml:11:9: error: notes: 'a?b' is not one line of 1 to 1000 bytes of text\n");
}

TEST_CASE("a wrong number of layers does not hide what else is wrong") {
  CHECK(problems(model_from_yaml(with(tiny_model, "num_layers: 2", "num_layers: 0") +
                                 "sliding_window: 8\nsliding_window_layers: [5]\nrotary_dim: 99\n")) ==
        "m.yaml:2:13: error: num_layers: '0' is too small; a whole number from 1 to 4096 is needed\n"
        "m.yaml:13:13: error: rotary_dim: rotary_dim = 99 is more than head_dim = 16; give at most head_dim, "
        "or "
        "leave it out: then whole heads are rotated\n");
}

TEST_SUITE_END();

}  // namespace
