#include "input/builtin.h"

#include <algorithm>

#include "unit/input/input_support.h"

namespace {

using namespace bta::test;

void check_standing(const std::string& name, const std::vector<bta::SourcedNumber>& numbers) {
  CHECK_MESSAGE(numbers.size() >= 7, name);
  for (const bta::SourcedNumber& number : numbers) {
    CAPTURE(name);
    CAPTURE(number.key);
    CHECK(number.kind != "unstated");
    CHECK_FALSE(number.source.empty());
  }
}

std::vector<std::string> names(std::span<const bta::Builtin> builtins) {
  std::vector<std::string> result;
  for (const bta::Builtin& builtin : builtins) result.emplace_back(builtin.name);
  return result;
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("what is built in, sorted by name") {
  CHECK(names(bta::builtin_models()) == std::vector<std::string>{"llama-2-7b", "mixtral-8x7b", "olmoe-1b-7b",
                                                                 "qwen3-235b-a22b", "qwen3-30b-a3b",
                                                                 "qwen3-8b"});
  CHECK(names(bta::builtin_hardware()) == std::vector<std::string>{"cerebras-cs2", "cerebras-cs3"});
}

TEST_CASE("the embedded text is the file's text") {
  for (const bta::Builtin& model : bta::builtin_models()) {
    CHECK(model.text == text_of(BTA_SOURCE_DIR "/models/" + std::string(model.name) + ".yaml"));
  }
  for (const bta::Builtin& wafer : bta::builtin_hardware()) {
    CHECK(wafer.text == text_of(BTA_SOURCE_DIR "/hardware/" + std::string(wafer.name) + ".yaml"));
  }
}

TEST_CASE("every built-in model loads under its own name, and every number of it has kind and source") {
  for (const std::string& name : names(bta::builtin_models())) {
    const auto file = bta::load_model_file(name, {});
    REQUIRE_MESSAGE(file.has_value(), problems(file));
    CHECK(file.value().model.name == name);
    CHECK_MESSAGE(file.value().model.notes.empty(), name << " leaves something to be derived");
    check_standing(name, file.value().numbers);
  }
}

TEST_CASE("every built-in wafer loads under its own name, and every number of it has kind and source") {
  for (const std::string& name : names(bta::builtin_hardware())) {
    const auto wafer = bta::load_wafer(name, {});
    REQUIRE_MESSAGE(wafer.has_value(), problems(wafer));
    CHECK(wafer.value().name == name);
    check_standing(name, wafer.value().numbers);
  }
}

TEST_CASE("built-in models and their config.json files describe the same layers") {
  for (const std::string& name : names(bta::builtin_models())) {
    CAPTURE(name);
    const bta::Model builtin = bta::load_model(name, {}).value();
    const bta::Model published =
        good(model_from_json(text_of(BTA_TEST_DATA "/models/" + name + "/config.json")));
    CHECK(builtin.layers == published.layers);
    CHECK(builtin.hidden == published.hidden);
    CHECK(builtin.vocabulary == published.vocabulary);
    CHECK(builtin.tied_embeddings == published.tied_embeddings);
  }
}

TEST_SUITE_END();

}  // namespace
