#include "input/builtin.h"

#include <algorithm>
#include <filesystem>

#include "input/hf_families.h"
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
  CHECK(names(bta::builtin_models()) == std::vector<std::string>{"cerebras-gpt-13b",
                                                                 "dbrx",
                                                                 "deepseek-moe-16b",
                                                                 "deepseek-v2",
                                                                 "deepseek-v2-lite",
                                                                 "deepseek-v3",
                                                                 "dots.llm1",
                                                                 "ernie-4.5-21b-a3b",
                                                                 "glm-4.5",
                                                                 "glm-4.5-air",
                                                                 "gpt-3-175b",
                                                                 "gpt-j-6b",
                                                                 "gpt-oss-120b",
                                                                 "gpt-oss-20b",
                                                                 "gpt2",
                                                                 "granite-3.0-3b-a800m",
                                                                 "grok-1",
                                                                 "hunyuan-a13b",
                                                                 "kimi-k2",
                                                                 "ling-lite-1.5",
                                                                 "llama-2-70b",
                                                                 "llama-2-7b",
                                                                 "llama-3.1-70b",
                                                                 "llama-3.1-8b",
                                                                 "llama-4-maverick",
                                                                 "llama-4-scout",
                                                                 "minimax-m2",
                                                                 "mixtral-8x22b",
                                                                 "mixtral-8x7b",
                                                                 "olmoe-1b-7b",
                                                                 "phi-3.5-moe",
                                                                 "qwen1.5-moe-a2.7b",
                                                                 "qwen2-57b-a14b",
                                                                 "qwen3-235b-a22b",
                                                                 "qwen3-30b-a3b",
                                                                 "qwen3-32b",
                                                                 "qwen3-8b"});
  CHECK(names(bta::builtin_hardware()) == std::vector<std::string>{"cerebras-cs2", "cerebras-cs3",
                                                                   "tesla-dojo-tile", "tsmc-sow-x",
                                                                   "wafer-template"});
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
    for (const std::string& note : file.value().model.notes)
      CHECK_MESSAGE(note.find("absent") == std::string::npos, name << " leaves something to be derived");
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

TEST_CASE("built-in models and their config.json files give the same hash: every number is the same") {
  int compared = 0;
  for (const std::string& name : names(bta::builtin_models())) {
    CAPTURE(name);
    const std::filesystem::path file = BTA_TEST_DATA "/models/" + name + "/config.json";
    if (!std::filesystem::exists(file)) continue;
    CHECK(bta::load_model(name, {}).value().content_hash ==
          bta::load_model(file.string(), {}).value().content_hash);
    ++compared;
  }
  CHECK(compared == 31);  // the other six are plain dense models
}

TEST_CASE("the README says how many models are built in and how many families are read") {
  std::size_t moe = 0;
  for (const std::string& name : names(bta::builtin_models()))
    moe += bta::moe_of(bta::load_model(name, {}).value()) != nullptr ? 1 : 0;
  const std::string readme = text_of(BTA_SOURCE_DIR "/README.md");
  const auto says = [&](const std::string& words) { return readme.find(words) != std::string::npos; };
  CHECK(says(std::to_string(moe) + " MoE and " + std::to_string(bta::builtin_models().size() - moe) +
             " dense models"));
  CHECK(says("the " + std::to_string(bta::hf_families().size()) + " families"));
}

TEST_SUITE_END();

}  // namespace
