// What stands in config.json files beside strict JSON is read rightly, or is an error with its place.
#include "unit/input/input_support.h"

namespace {

using namespace bta::test;

const std::string config =
    "{\n  \"model_type\": \"llama\",\n  \"hidden_size\": 64,\n  \"num_hidden_layers\": 2,\n"
    "  \"num_attention_heads\": 4,\n  \"num_key_value_heads\": 2,\n  \"vocab_size\": 100,\n"
    "  \"tie_word_embeddings\": false,\n  \"intermediate_size\": 96\n}\n";

std::string loaded(const std::string& text) {
  const Folder folder;
  const std::string path = folder.file("config.json", text);
  std::string lines = problems(bta::load_model_file(path, {}));
  if (!lines.empty()) lines.erase(0, folder.path.string().size() + 1);
  return lines;
}
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("a byte-order mark, tabs, CRLF and no line ends at all do not matter") {
  CHECK(loaded(config).empty());
  CHECK(loaded("\xEF\xBB\xBF" + config).empty());
  CHECK(loaded(replaced(config, "  ", "\t")).empty());
  CHECK(loaded(replaced(config, "\n", "\r\n")).empty());
  CHECK(loaded(replaced(config, "\n", "")).empty());
}

TEST_CASE("an error keeps its place behind a byte-order mark and CRLF") {
  const std::string wrong = with(config, "\"hidden_size\": 64", "\"hidden_size\": \"64\"");
  const std::string place =
      "config.json:3:18: error: hidden_size: '64' is text in quotes; write the number without quotes\n";
  CHECK(loaded(wrong) == place);
  CHECK(loaded("\xEF\xBB\xBF" + wrong) == place);
  CHECK(loaded(replaced(wrong, "\n", "\r\n")) == place);
}

TEST_CASE("numbers that are none, comments and trailing commas are errors with their place") {
  const auto with_member = [](const std::string& member) {
    return loaded(with(config, "  \"vocab_size\"", "  " + member + "\n  \"vocab_size\""));
  };
  CHECK(with_member("\"time_step_limit\": [0.0, Infinity],") ==
        "config.json:7:28: error: time_step_limit: Infinity is not a JSON number; write a finite number or "
        "null\n");
  CHECK(with_member("\"rope_theta\": NaN,") ==
        "config.json:7:17: error: rope_theta: NaN is not a JSON number; write a finite number or null\n");
  CHECK(
      with_member("\"rope_theta\": -Infinity,") ==
      "config.json:7:17: error: rope_theta: -Infinity is not a JSON number; write a finite number or null\n");
  CHECK(with_member("// the vocabulary") == "config.json:7:3: error: comments are not JSON; remove them\n");
  CHECK(with_member("/* the vocabulary */") ==
        "config.json:7:3: error: comments are not JSON; remove them\n");
  CHECK(with_member("# the vocabulary") == "config.json:7:3: error: comments are not JSON; remove them\n");
  CHECK(loaded(with(config, "96\n", "96,\n"))
            .starts_with("config.json:10:1: error: this is not valid JSON: syntax error"));
}

TEST_CASE("numbers with a fraction of zero or an exponent are whole numbers, others are not") {
  CHECK(loaded(with(config, "100", "1e2")).empty());
  CHECK(loaded(with(config, "64", "64.0")).empty());
  CHECK(loaded(with(config, "64", "64.5"))
            .starts_with("config.json:3:18: error: hidden_size: '64.5' is not a whole"));
  CHECK(loaded(with(config, "64", "-64")).starts_with("config.json:3:18: error: hidden_size: '-64' is "));
  CHECK(loaded(with(config, "false", "\"false\""))
            .starts_with("config.json:8:26: error: tie_word_embeddings: 'false'"));
}

TEST_SUITE_END();

}  // namespace
