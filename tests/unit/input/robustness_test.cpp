// Thousands of damaged descriptions, the same on every run: each gives a value or diagnostics.
#include <random>

#include "input/routing_csv.h"
#include "unit/input/input_support.h"

namespace {

using namespace bta::test;

/// Pieces that turn one construct into another.
const std::vector<std::string> pieces{"{",
                                      "}",
                                      "[",
                                      "]",
                                      ":",
                                      ": ",
                                      ",",
                                      "\"",
                                      "'",
                                      "\n",
                                      "\n  ",
                                      "\t",
                                      "#",
                                      "&a ",
                                      "*a",
                                      "<<: ",
                                      "!!int ",
                                      "---\n",
                                      "...\n",
                                      "? ",
                                      "- ",
                                      "|",
                                      ">",
                                      "%YAML 1.2\n",
                                      "null",
                                      "~",
                                      "0",
                                      "-1",
                                      "1e999",
                                      "1e-999",
                                      "99999999999999999999",
                                      "0x1",
                                      "1_0",
                                      ".inf",
                                      "NaN",
                                      "true",
                                      "\\",
                                      "\\u0000",
                                      "\xC3\xA9",
                                      "\xFF",
                                      "value",
                                      "kind",
                                      "source",
                                      "{value: 1}",
                                      "GiB",
                                      "Gb/s"};

class Damage {
 public:
  explicit Damage(unsigned seed) : random_(seed) {}

  std::string operator()(std::string text) {
    const std::size_t edits = 1 + below(4);
    for (std::size_t i = 0; i < edits; ++i) edit(text);
    return text;
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  void edit(std::string& text) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = below(1 + std::min<std::size_t>(30, text.size() - at));
    switch (below(5)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, pieces[below(pieces.size())]);
        break;
      case 2:
        text.replace(at, length, pieces[below(pieces.size())]);
        break;
      case 3:
        text.insert(below(text.size() + 1), text.substr(at, length));
        break;
      default:
        text.resize(at);
    }
  }

  std::mt19937 random_;
};

/// How many of the damaged texts were refused; every refusal must say something.
template <class Read>
int refusals(const std::string& text, int rounds, Read read) {
  Damage damage(20);
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string damaged = damage(text);
    const auto result = read(damaged);
    if (result) continue;
    ++refused;
    REQUIRE_MESSAGE(!result.error().empty(), damaged);
    for (const bta::Diagnostic& diagnostic : result.error())
      REQUIRE_MESSAGE(!diagnostic.message.empty(), damaged);
  }
  return refused;
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("a damaged model description gives a model or diagnostics") {
  const int refused =
      refusals(tiny_model, 3000, [](const std::string& text) { return model_from_yaml(text); });
  CHECK(refused > 1500);
  CHECK(refused < 3000);
}

TEST_CASE("a damaged config.json gives a model or diagnostics") {
  const std::string config = text_of(BTA_TEST_DATA "/models/qwen3-30b-a3b/config.json");
  const int refused = refusals(config, 3000, [](const std::string& text) { return model_from_json(text); });
  CHECK(refused > 1000);
  CHECK(refused < 3000);
}

TEST_CASE("a damaged wafer description gives a wafer or diagnostics") {
  const std::string yaml = text_of(BTA_TEST_DATA "/hardware/one-core.yaml");
  const int refused = refusals(yaml, 3000, [](const std::string& text) { return wafer_from_yaml(text); });
  CHECK(refused > 1000);
  CHECK(refused < 3000);
}

TEST_CASE("a damaged table of counts gives a routing or diagnostics") {
  const std::string table = "# counts\nlayer,expert,tokens\n0,0,12\n0,1,\"7.5\"\n1,0,3\n1,1,0\n";
  const int refused =
      refusals(table, 3000, [](const std::string& text) { return bta::read_routing(text, "r.csv"); });
  CHECK(refused > 1000);
  CHECK(refused < 3000);
}

TEST_CASE("a damaged override gives a model or diagnostics") {
  const int refused = refusals("[1, {a: 2}]", 2000, [](const std::string& text) {
    return model_from_yaml(tiny_model, {{"dense_layers", text}});
  });
  CHECK(refused > 1000);
}

TEST_SUITE_END();

}  // namespace
