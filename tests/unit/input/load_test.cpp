#include "input/load.h"

#include <filesystem>

#include "unit/input/input_support.h"

namespace {

namespace fs = std::filesystem;
using namespace bta::test;

TEST_SUITE_BEGIN("unit");

TEST_CASE("a name that is neither built in nor a file lists what is, and the nearest") {
  CHECK(problems(bta::load_model("qwen3-30b-a3", {})) ==
        "error: --model: 'qwen3-30b-a3' is neither built in nor a file; did you mean 'qwen3-30b-a3b'? "
        "'bta-plan "
        "list' names all\n");
  CHECK(problems(bta::load_wafer("/no/such/file.yaml", {})) ==
        "error: --hardware: '/no/such/file.yaml' is neither built in nor a file; built in: cerebras-cs2, "
        "cerebras-cs3, tesla-dojo-tile, tsmc-sow-x, wafer-template\n");
}

TEST_CASE("a YAML file without a name is called after itself, a config.json after its folder") {
  const Folder folder;
  CHECK(bta::load_model(folder.file("my-model.yaml", tiny_model), {}).value().name == "my-model");
  CHECK(bta::load_model(folder.file("other.yml", tiny_model), {}).value().name == "other");
  const std::string config = text_of(BTA_TEST_DATA "/models/qwen3-8b/config.json");
  CHECK(bta::load_model(folder.file("checkpoint/config.json", config), {}).value().name == "checkpoint");
  CHECK(bta::load_model(folder.file("qwen.json", config), {}).value().name == "qwen");
}

TEST_CASE("a file without a telling extension is JSON when it begins with a brace") {
  const Folder folder;
  const std::string config = text_of(BTA_TEST_DATA "/models/qwen3-8b/config.json");
  CHECK(bta::load_model(folder.file("model", config), {}).value().hidden == 4096);
  CHECK(bta::load_model(folder.file("tiny", tiny_model), {}).value().hidden == 64);
}

TEST_CASE("diagnostics name the file as the user did") {
  const Folder folder;
  const std::string path = folder.file("bad.yaml", with(tiny_model, "top_k: 2", "top_k: two"));
  CHECK(problems(bta::load_model(path, {})) ==
        path + ":7:8: error: top_k: 'two' is not a number; a whole number from 1 to 65536 is needed\n");
  CHECK(problems(bta::load_model("qwen3-8b", {{"head_dim", "0"}})) ==
        "--set model.head_dim: error: '0' is too small; a whole number from 1 to 65536 is needed\n");
}

TEST_SUITE_END();

}  // namespace
