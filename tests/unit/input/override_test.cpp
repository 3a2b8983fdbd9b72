#include "unit/input/input_support.h"

namespace {

using namespace bta::test;

const std::string one_core = BTA_TEST_DATA "/hardware/one-core.yaml";
const std::string mixtral = BTA_TEST_DATA "/models/mixtral-8x7b/config.json";

TEST_SUITE_BEGIN("unit");

TEST_CASE("an override replaces or adds one field before anything is checked") {
  const bta::Model model = good(model_from_yaml(tiny_model, {{"num_experts", "16"},
                                                             {"qk_norm", "per_head"},
                                                             {"dense_layers", "[0]"},
                                                             {"intermediate_size", "1e2"}}));
  CHECK(moe_at(model, 1).experts == 16);
  CHECK(attention_of(model).qk_norm == bta::QkNorm::per_head);
  CHECK(dense_at(model, 0).width == 100);
}

TEST_CASE("a nested field is named by its dotted path") {
  const auto wafer =
      bta::load_wafer(one_core, {{"core.clock", "1.5GHz"}, {"core.multiply_adds_per_cycle.fp16", "8"}});
  REQUIRE_MESSAGE(wafer.has_value(), problems(wafer));
  CHECK(wafer.value().clock_hz == 1.5e9);
  CHECK(wafer.value().vector_width.fp16 == 8);
}

TEST_CASE("null takes a field away") {
  CHECK(attention_of(good(model_from_yaml(tiny_model, {{"head_dim", "null"}}))).qk_head_dim == 16);
  CHECK(problems(model_from_yaml(tiny_model, {{"top_k", "null"}})) ==
        "--set model.top_k: error: the required key 'top_k' is empty\n");
}

TEST_CASE("the last override of a field counts") {
  CHECK(moe_at(good(model_from_yaml(tiny_model, {{"top_k", "3"}, {"top_k", "4"}}))).top_k == 4);
}

TEST_CASE("an error in an overridden value names the option") {
  CHECK(problems(model_from_yaml(tiny_model, {{"top_k", "010"}})) ==
        "--set model.top_k: error: '010' has a leading zero; write 10; a whole number from 1 to 65536 is "
        "needed\n");
  CHECK(problems(model_from_yaml(tiny_model, {{"topk", "4"}})) ==
        "--set model.topk: error: unknown key 'topk'; did you mean 'top_k'?\n");
  CHECK(problems(model_from_yaml(tiny_model, {{"top_k", "\"4\""}})) ==
        "--set model.top_k: error: '4' is text in quotes; write the number without quotes\n");
  CHECK(
      problems(bta::load_wafer(one_core, {{"core.sram", "1.1GHz"}})) ==
      "--set hardware.core.sram: error: '1.1GHz' is a frequency; a size in bytes is needed, such as 48KiB\n");
}

TEST_CASE("an override that cannot be placed or read names the option") {
  CHECK(problems(model_from_yaml(tiny_model, {{"top_k.x", "4"}})) ==
        "--set model.top_k.x: error: 'top_k' holds '2', not a map of keys\n");
  CHECK(problems(model_from_yaml(tiny_model, {{"", "4"}})) ==
        "--set model.: error: the key path has an empty part\n");
  CHECK(problems(model_from_yaml(tiny_model, {{"a..b", "4"}})) ==
        "--set model.a..b: error: the key path has an empty part\n");
  CHECK(problems(model_from_yaml(tiny_model, {{"top_k", "&x 4"}})) ==
        "--set model.top_k: error: anchor '&x' is not supported; write the value where it is needed\n");
}

TEST_CASE("a config.json takes overrides by its own keys") {
  const auto model = bta::load_model(mixtral, {{"num_local_experts", "16"}, {"tie_word_embeddings", "true"}});
  REQUIRE_MESSAGE(model.has_value(), problems(model));
  CHECK(moe_at(model.value()).experts == 16);
  CHECK(model.value().tied_embeddings);
}

TEST_CASE("an override that no config.json reader would notice is refused, not dropped") {
  CHECK(problems(bta::load_model(mixtral, {{"num_local_expert", "16"}})) ==
        "--set model.num_local_expert: error: 'num_local_expert' is '16': this changes the arithmetic in a "
        "way that is "
        "not known here for mixtral, so the file is refused\n"
        "--set model.num_local_expert: error: 'num_local_expert' is not a key that is read from a "
        "config.json; did you "
        "mean 'num_local_experts'?\n");
  CHECK(problems(bta::load_model(mixtral, {{"hiden_size", "16"}})) ==
        "--set model.hiden_size: error: 'hiden_size' is not a key that is read from a config.json; did you "
        "mean "
        "'hidden_size'?\n");
}

TEST_SUITE_END();

}  // namespace
