// Is what import writes the model it read, to every command and to the last byte?
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/program.h"

namespace {

using bta::cli_test::read_file;
using bta::cli_test::run;
using bta::cli_test::TemporaryFolder;
using bta::cli_test::write_file;
using Words = std::vector<std::string>;

std::string config_of(const std::string& model) {
  return BTA_TEST_DATA "/models/" + model + "/config.json";
}

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void check_same(const Words& as_read, const Words& as_imported) {
  const auto read = run(as_read), imported = run(as_imported);
  CHECK(read.code == 0);
  CHECK(imported.code == read.code);
  CHECK(imported.out == read.out);
}

/// The YAML that import makes of a file, with nothing on stdout.
std::string import_into(const TemporaryFolder& folder, const std::string& file, const Words& more = {}) {
  const std::string yaml = folder.path("imported.yaml");
  const auto result = run(joined({"import", file, "-o", yaml}, more));
  REQUIRE_MESSAGE(result.code == 0, result.err);
  CHECK(result.out.empty());
  return yaml;
}

/// Every model that is a folder of the test data.
std::vector<std::string> config_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(BTA_TEST_DATA "/models"))
    if (entry.is_directory()) files.push_back((entry.path() / "config.json").string());
  std::ranges::sort(files);
  return files;
}

void check_import(const std::string& file, const Words& overrides = {}) {
  CAPTURE(file);
  const TemporaryFolder folder;
  const std::string yaml = import_into(folder, file, overrides);
  for (const std::string format : {"table", "csv", "json", "markdown"}) {
    CAPTURE(format);
    const Words tail = {"-q", "--format", format};
    const Words plan = joined({"plan", "--max-micro-batch", "64", "--model"}, {});
    check_same(joined(joined(plan, {file}), joined(overrides, tail)), joined(joined(plan, {yaml}), tail));
    const Words explain = {"explain", "-B", "1", "-G", "2", "--model"};
    check_same(joined(joined(explain, {file}), joined(overrides, tail)),
               joined(joined(explain, {yaml}), tail));
    check_same(joined(joined({"show", file}, overrides), tail), joined({"show", yaml}, tail));
  }
}

TEST_SUITE_BEGIN("import");

TEST_CASE("config.json and its import give the same plan, explanation and description in every format") {
  for (const std::string model :
       {"qwen1.5-moe-a2.7b", "deepseek-v2-lite", "gpt-oss-20b", "llama-4-maverick", "gpt-j-6b"})
    check_import(config_of(model));
}

TEST_CASE("every config.json gives the plan and the description that its import gives") {
  const std::vector<std::string> files = config_files();
  CHECK(files.size() >= 30);
  for (const std::string& file : files) {
    CAPTURE(file);
    const TemporaryFolder folder;
    const std::string yaml = import_into(folder, file);
    const Words plan = {"plan", "-q", "--format", "csv", "--max-micro-batch", "16", "--model"};
    const Words show = {"show", "-q", "--format", "json"};
    check_same(joined(plan, {file}), joined(plan, {yaml}));
    check_same(joined(show, {file}), joined(show, {yaml}));
  }
}

TEST_CASE("so does a config.json changed by --set, named by hand") {
  check_import(config_of("mixtral-8x7b"),
               {"--set", "model.num_local_experts=16", "--set", "model.name=Mixtral 16"});
}

TEST_CASE("so does a YAML file of any kind of model, and a built-in model") {
  check_import(BTA_TEST_DATA "/models/gpt-j-6b.yaml");
  for (const std::string name : {"deepseek-v3", "gpt-oss-120b", "gpt2", "llama-4-scout"}) check_import(name);
}

TEST_CASE("import without -o writes to stdout what it would write to the file") {
  const TemporaryFolder folder;
  const auto result = run({"import", config_of("qwen3-30b-a3b")});
  CHECK(result.code == 0);
  CHECK(result.err.empty());
  CHECK(result.out == read_file(import_into(folder, config_of("qwen3-30b-a3b"))));
  CHECK(result.out ==
        "# 30,532,122,624 parameters, of which a token uses 3,353,032,704\n"
        "name: qwen3-30b-a3b\n"
        "kind: datasheet\n"
        "source: config.json of qwen3-30b-a3b\n"
        "hidden_size: 2048\n"
        "num_layers: 48\n"
        "num_heads: 32\n"
        "num_kv_heads: 4\n"
        "head_dim: 128\n"
        "qk_norm: per_head\n"
        "num_experts: 128\n"
        "top_k: 8\n"
        "moe_intermediate_size: 768\n"
        "vocab_size: 151936\n"
        "tie_embeddings: false\n");
}

TEST_CASE("what the reader derived is told, kept as notes, and told once") {
  const auto told = run({"import", config_of("llama-2-7b")});
  CHECK(told.err == "bta-plan: note: head_dim is absent: taken as hidden_size / num_attention_heads = 128\n");
  CHECK(told.out.ends_with(
      "notes:\n  - \"head_dim is absent: taken as hidden_size / num_attention_heads = 128\"\n"));
  const auto quiet = run({"import", config_of("llama-2-7b"), "-q"});
  CHECK(quiet.err.empty());
  CHECK(quiet.out == told.out);
}

TEST_CASE("what was changed is no published number any more") {
  const std::string out = run({"import", config_of("qwen3-8b"), "--set", "model.vocab_size=1000", "-q"}).out;
  CHECK(out.find("kind: assumed\nsource: \"config.json of qwen3-8b, changed by --set model.vocab_size\"\n") !=
        std::string::npos);
  CHECK(out.find("vocab_size: 1000\n") != std::string::npos);
}

TEST_CASE("the import of an import is itself") {
  const TemporaryFolder folder;
  const std::string yaml = import_into(folder, config_of("olmoe-1b-7b"));
  CHECK(run({"import", yaml, "-q"}).out == read_file(yaml));
}

TEST_CASE("a model is called what it declares, where it came from, or its folder") {
  const TemporaryFolder folder;
  std::string config = read_file(config_of("qwen3-8b"));
  const std::string file = folder.path("config.json");
  const std::string in_folder = std::filesystem::path(folder.path("x")).parent_path().filename().string();
  const auto name = [&](const std::string& more) {
    write_file(file, "{" + more + config.substr(config.find('{') + 1));
    const std::string out = run({"import", file, "-q"}).out;
    const std::size_t at = out.find("name: ") + 6;
    return out.substr(at, out.find('\n', at) - at);
  };
  CHECK(name("\"name\": \"declared\",") == "declared");
  CHECK(name("\"_name_or_path\": \"someone/checkpoint/\",") == "checkpoint");
  CHECK(name("").find(in_folder) != std::string::npos);
}

TEST_CASE("what cannot be imported is told, with exit code 2") {
  const auto error = [](const Words& words) {
    const auto result = run(joined({"import"}, words));
    CHECK(result.code == 2);
    CHECK(result.out.empty());
    return result.err;
  };
  CHECK(
      error({}) ==
      "command line: error: import needs a config.json, a YAML file, or the name of a model; 'bta-plan list "
      "models' names those built in\n");
  CHECK(error({"a", "b"}) == "command line: error: import takes one name, found 2\n");
  CHECK(error({"qwen3-8"}) ==
        "command line: error: 'qwen3-8' is neither built in nor a file; did you mean 'qwen3-8b'? "
        "'bta-plan list' names all\n");
  CHECK(error({"nosuch"})
            .starts_with("command line: error: 'nosuch' is neither built in nor a file; built in: "));
  CHECK(error({"nosuch"}).find("cerebras-cs2") == std::string::npos);
  CHECK(error({"cerebras-cs3x"}).find("cerebras-cs3'?") == std::string::npos);
  CHECK(
      error({"cerebras-cs2"}) ==
      "command line: error: 'cerebras-cs2' is hardware, whose files need no import; import takes a model\n");
  CHECK(error({BTA_TEST_DATA "/hardware/one-core.yaml"}).find("' is hardware, whose files") !=
        std::string::npos);
  CHECK(error({BTA_TEST_DATA "/models/misspelt.yaml"}).find("misspelt.yaml:") ==
        0 + std::string(BTA_TEST_DATA "/models/").size());
  CHECK(error({"qwen3-8b", "--set", "hardware.grid.rows=2"}) ==
        "command line: error: --set: hardware.grid.rows does not apply to a model\n");
  CHECK(error({"qwen3-8b", "--set", "model.colour=red"}).find("--set model.colour: error: ") == 0);
  CHECK(error({"qwen3-8b", "--format", "json"}).find("--format: is no option of this command") !=
        std::string::npos);
}

TEST_CASE("a file is not overwritten by its own import") {
  const TemporaryFolder folder;
  const std::string file = folder.path("config.json"), config = read_file(config_of("qwen3-8b"));
  write_file(file, config);
  const auto result = run({"import", file, "-o", file});
  CHECK(result.code == 2);
  CHECK(result.err ==
        "command line: error: --output: '" + file + "' holds the model to import; give another file\n");
  CHECK(read_file(file) == config);
}

TEST_SUITE_END();

}  // namespace
