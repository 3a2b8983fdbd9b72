#include "input/model_yaml.h"

#include "unit/input/input_support.h"

namespace {

using namespace bta::test;

/// All problems of the tiny model with one line replaced.
std::string problems_with(const std::string& line, const std::string& replacement) {
  return problems(model_from_yaml(with(tiny_model, line, replacement)));
}

const std::string dense_model =
    "hidden_size: 128\n"
    "num_layers: 3\n"
    "num_heads: 8\n"
    "intermediate_size: 256\n"
    "vocab_size: 100\n"
    "tie_embeddings: true\n";

TEST_SUITE_BEGIN("unit");

TEST_CASE("a small MoE description loads as it stands") {
  const bta::Model model = good(model_from_yaml(text_of(BTA_TEST_DATA "/models/t1.yaml")));
  CHECK(model.name == "m");
  CHECK(model.hidden == 64);
  CHECK(model.vocabulary == 100);
  CHECK_FALSE(model.tied_embeddings);
  REQUIRE(model.layers.size() == 2);
  CHECK(model.layers[0] == model.layers[1]);
  CHECK(attention_of(model) == bta::GroupedQueryAttention{4, 2, 16, 16, bta::QkNorm::none, false, false});
  CHECK(moe_at(model) == bta::MoeMlp{8, 2, 32, true, 0, false});
  CHECK(model.notes.empty());
}

TEST_CASE("a dense description needs no expert keys, and says what it derived") {
  const bta::Model model = good(model_from_yaml(dense_model));
  REQUIRE(model.layers.size() == 3);
  CHECK(dense_at(model, 2) == bta::DenseMlp{256, true, false});
  CHECK(attention_of(model).kv_heads == 8);
  CHECK(attention_of(model).qk_head_dim == 16);
  CHECK(model.tied_embeddings);
  CHECK(model.notes == std::vector<std::string>{"num_kv_heads is absent: taken as num_heads = 8",
                                                "head_dim is absent: taken as hidden_size / num_heads = 16"});
}

TEST_CASE("every optional key reaches its field") {
  const bta::Model model = good(
      model_from_yaml(tiny_model +
                      "name: mine\nqk_norm: projection\nqkv_bias: "
                      "true\nattention_output_bias: true\nsliding_window: 512\nmlp_bias: true\ngated: false\n"
                      "shared_expert_intermediate_size: 48\nshared_expert_gate: "
                      "true\ndense_layers: [1]\nintermediate_size: 96\n"));
  CHECK(model.name == "mine");
  CHECK(attention_of(model) ==
        bta::GroupedQueryAttention{4, 2, 16, 16, bta::QkNorm::projection, true, true, bta::Window{512}});
  CHECK(moe_at(model, 0) == bta::MoeMlp{8, 2, 32, false, 48, true});
  CHECK(dense_at(model, 1) == bta::DenseMlp{96, false, true});
}

TEST_CASE("a sliding window holds for every layer, null and absent mean none, 0 is refused") {
  const bta::Model model = good(model_from_yaml(tiny_model + "sliding_window: 16\n"));
  for (const bta::Layer& layer : model.layers)
    CHECK(std::get<bta::GroupedQueryAttention>(layer.attention).window == bta::Window{16});
  CHECK_FALSE(attention_of(good(model_from_yaml(tiny_model))).window);
  CHECK_FALSE(attention_of(good(model_from_yaml(tiny_model + "sliding_window: null\n"))).window);
  CHECK(problems(model_from_yaml(tiny_model + "sliding_window: 0\n"))
            .starts_with("m.yaml:11:17: error: sliding_window: '0' is too small; a whole number from 1 to "));
}

TEST_CASE("an absent head size is derived, never truncated") {
  CHECK(problems(model_from_yaml(with(with(dense_model, "128", "1792"), "num_heads: 8", "num_heads: 24"))) ==
        "m.yaml:1:1: error: head_dim: 'head_dim' is absent and cannot be derived: hidden_size = 1792 is not "
        "a multiple "
        "of num_heads = 24\n");
}

TEST_CASE("null is the same as absent") {
  for (const char* const null : {"null", "~", ""}) {
    CAPTURE(null);
    const bta::Model model =
        good(model_from_yaml(with(with(tiny_model, "head_dim: 16", "head_dim: " + std::string(null)),
                                  "num_kv_heads: 2", "num_kv_heads: " + std::string(null))));
    CHECK(attention_of(model).qk_head_dim == 16);
    CHECK(attention_of(model).kv_heads == 4);
    const int column = *null == '\0' ? 1 : 13;  // nothing has no place but its key's
    CHECK(problems_with("vocab_size: 100", "vocab_size: " + std::string(null)) ==
          "m.yaml:9:" + std::to_string(column) +
              ": error: vocab_size: the required key 'vocab_size' is empty\n");
  }
}

TEST_CASE("numbers follow the rules of numbers, with key and line") {
  CHECK(good(model_from_yaml(with(tiny_model, "vocab_size: 100", "vocab_size: 1e5"))).vocabulary == 100000);
  CHECK(good(model_from_yaml(with(tiny_model, "vocab_size: 100", "vocab_size: 4096.0"))).vocabulary == 4096);
  const std::string needed = "; a whole number from 1 to 16777216 is needed\n";
  const std::string at = "m.yaml:9:13: error: vocab_size: ";
  CHECK(problems_with("vocab_size: 100", "vocab_size: 4096.5") ==
        at + "'4096.5' is not a whole number" + needed);
  CHECK(problems_with("vocab_size: 100", "vocab_size: 1_000") ==
        at + "'1_000' has an underscore; write the digits only" + needed);
  CHECK(problems_with("vocab_size: 100", "vocab_size: 0100") ==
        at + "'0100' has a leading zero; write 100" + needed);
  CHECK(problems_with("vocab_size: 100", "vocab_size: -2") == at + "'-2' is too small" + needed);
  CHECK(problems_with("vocab_size: 100", "vocab_size: .inf") ==
        at + "'.inf' is not a finite number" + needed);
  CHECK(problems_with("vocab_size: 100", "vocab_size: \"4096\"") ==
        at + "'4096' is text in quotes; write the number without quotes\n");
  CHECK(problems_with("vocab_size: 100", "vocab_size: [100]") ==
        at + "a list stands where a number is needed\n");
}

TEST_CASE("a misspelt key is reported with the nearest name, and as missing") {
  CHECK(problems_with("moe_intermediate_size", "moe_intermediate_sze") ==
        "m.yaml:1:1: error: moe_intermediate_size: the required key 'moe_intermediate_size' is missing\n"
        "m.yaml:8:1: error: moe_intermediate_sze: unknown key 'moe_intermediate_sze'; did you mean "
        "'moe_intermediate_size'?\n");
  CHECK(problems_with("num_experts", "num_expert") ==
        "m.yaml:1:1: error: num_experts: the required key 'num_experts' is missing\n"
        "m.yaml:6:1: error: num_expert: unknown key 'num_expert'; did you mean 'num_experts'?\n");
}

TEST_CASE("a key that resembles none lists the known ones") {
  CHECK(problems(model_from_yaml(tiny_model + "colour: red\n"))
            .starts_with("m.yaml:11:1: error: colour: unknown key 'colour'; known here: kind, source, name, "
                         "hidden_size"));
}

TEST_CASE("all problems of a file are reported together, in its order") {
  const std::string text =
      "hidden_size: 4096.5\nnum_layers: 0\nnum_heads: 4\nnum_heads: 5\nnum_kv_heads: 3\nqk_norm: per-head\n"
      "num_experts: 8\ntop_k: 9\nmoe_intermediate_size: x\nvocab_size: 100\ntie_embeddings: yes\nnum_hads: "
      "3\n";
  CHECK(
      problems(model_from_yaml(text)) ==
      "m.yaml:1:14: error: hidden_size: '4096.5' is not a whole number; a whole number from 1 to 1048576 "
      "is needed\n"
      "m.yaml:2:13: error: num_layers: '0' is too small; a whole number from 1 to 4096 is needed\n"
      "m.yaml:4:1: error: num_heads: key 'num_heads' stands twice in one map, on lines 3 and 4; keep one "
      "of them\n"
      "m.yaml:5:15: error: num_kv_heads: num_kv_heads = 3 does not divide num_heads = 4\n"
      "m.yaml:6:10: error: qk_norm: 'per-head' is not one of none, per_head, projection, unit; did you mean "
      "'per_head'?\n"
      "m.yaml:8:8: error: top_k: top_k = 9 is more than num_experts = 8\n"
      "m.yaml:9:24: error: moe_intermediate_size: 'x' is not a number; a whole number from 1 to 4194304 is "
      "needed\n"
      "m.yaml:11:17: error: tie_embeddings: 'yes' is neither true nor false (without quotes)\n"
      "m.yaml:12:1: error: num_hads: unknown key 'num_hads'; did you mean 'num_heads'?\n");
}

TEST_CASE("a key without effect is an error") {
  CHECK(problems(model_from_yaml(dense_model + "top_k: 2\n")) ==
        "m.yaml:7:8: error: top_k: 'top_k' has no effect: num_experts is absent, so every layer has a dense "
        "MLP\n");
  CHECK(problems(model_from_yaml(tiny_model + "intermediate_size: 96\n")) ==
        "m.yaml:11:20: error: intermediate_size: 'intermediate_size' has no effect: dense_layers lists no "
        "layer with a "
        "dense MLP\n");
  CHECK(problems(model_from_yaml(tiny_model + "shared_expert_gate: true\n")) ==
        "m.yaml:11:21: error: shared_expert_gate: 'shared_expert_gate' has no effect: "
        "shared_expert_intermediate_size "
        "is absent or 0\n");
}

TEST_CASE("dense layers are indices of the model's layers, each once") {
  const std::string tail = "intermediate_size: 96\ndense_layers: ";
  CHECK(problems(model_from_yaml(tiny_model + tail + "[0, 2]\n")) ==
        "m.yaml:12:19: error: dense_layers: '2' is too large; a whole number from 0 to 1 is needed\n");
  CHECK(problems(model_from_yaml(tiny_model + tail + "[1, 1]\n")) ==
        "m.yaml:12:19: error: dense_layers: '1' stands twice in the list\n");
  CHECK(problems(model_from_yaml(tiny_model + tail + "1\n"))
            .starts_with("m.yaml:11:20: error: intermediate_size: 'intermediate_size' has no effect"));
}

TEST_CASE("an empty file, a list and a scalar are no description") {
  CHECK(problems(model_from_yaml("")) == "m.yaml: error: the file is empty; a map of keys is needed\n");
  CHECK(problems(model_from_yaml("# nothing\n")) ==
        "m.yaml: error: the file is empty; a map of keys is needed\n");
  CHECK(problems(model_from_yaml("- hidden_size: 1\n")) ==
        "m.yaml:1:1: error: the file holds a list; a map of keys is needed\n");
  CHECK(problems(model_from_yaml("hello\n")) ==
        "m.yaml:1:1: error: the file holds 'hello'; a map of keys is needed\n");
}

TEST_CASE("a name is one short line of text") {
  CHECK(good(model_from_yaml(tiny_model + "name: =1+1\n")).name == "=1+1");
  CHECK(good(model_from_yaml(tiny_model + "name: 'a,\"b\"'\n")).name == "a,\"b\"");
  CHECK(problems(model_from_yaml(tiny_model + "name: \"\"\n")) ==
        "m.yaml:11:7: error: name: '' is not one line of 1 to 1000 bytes of text\n");
  CHECK(problems(model_from_yaml(tiny_model + "name: \"a\\nb\"\n")) ==
        "m.yaml:11:7: error: name: 'a?b' is not one line of 1 to 1000 bytes of text\n");
}

TEST_CASE("a flood of problems ends after a hundred with the number of the rest") {
  std::string text = tiny_model;
  for (int i = 0; i < 150; ++i) text += "zzzzzz" + std::to_string(i) + ": 1\n";
  const auto result = model_from_yaml(text);
  REQUIRE(result.error().size() == 101);
  CHECK(to_string(result.error().back()) == "m.yaml: error: 50 more problems");
}

TEST_SUITE_END();

}  // namespace
