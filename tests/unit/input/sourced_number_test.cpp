// Where a number comes from: its own {value, kind, source}, or the maps around it.
#include "input/reader.h"
#include "unit/input/input_support.h"

namespace {

using bta::SourcedNumber;
using namespace bta::test;

/// The standing of key in the tiny model with `head` in front.
SourcedNumber number(const std::string& text, const std::string& key,
                     const std::vector<bta::Override>& overrides = {}) {
  const auto file = model_from_yaml(text, overrides);
  REQUIRE_MESSAGE(file.has_value(), problems(file));
  for (const SourcedNumber& candidate : file.value().numbers) {
    if (candidate.key == key) return candidate;
  }
  FAIL("no number " << key);
  return {};
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("a number nobody vouches for is unstated") {
  const SourcedNumber bare = number(tiny_model, "hidden_size");
  CHECK(bare.value == "64");
  CHECK(bare.kind == "unstated");
  CHECK(bare.source.empty());
}

TEST_CASE("numbers inherit kind and source from the maps around them") {
  const SourcedNumber inherited = number("kind: datasheet\nsource: the paper\n" + tiny_model, "top_k");
  CHECK(inherited.kind == "datasheet");
  CHECK(inherited.source == "the paper");
}

TEST_CASE("a number's own kind starts without the outer source") {
  const std::string head = "kind: datasheet\nsource: the paper\n";
  const SourcedNumber own =
      number(head + with(tiny_model, "top_k: 2", "top_k: {value: 2, kind: assumed}"), "top_k");
  CHECK(own.value == "2");
  CHECK(own.kind == "assumed");
  CHECK(own.source.empty());
  const SourcedNumber sourced =
      number(head + with(tiny_model, "top_k: 2", "top_k: {value: 2, source: page 3}"), "top_k");
  CHECK(sourced.kind == "datasheet");
  CHECK(sourced.source == "page 3");
}

TEST_CASE("an overridden number is unstated, whatever stands around it") {
  const SourcedNumber changed = number("kind: datasheet\n" + tiny_model, "top_k", {{"top_k", "4"}});
  CHECK(changed.value == "4");
  CHECK(changed.kind == "unstated");
  CHECK(changed.source == "--set model.top_k");
}

TEST_CASE("kinds are a closed list") {
  CHECK(
      problems(model_from_yaml("kind: guessed\n" + tiny_model)) ==
      "m.yaml:1:7: error: kind: 'guessed' is not one of datasheet, measured, derived, assumed, calibrated\n");
}

TEST_CASE("a number written as a map has a value and nothing unknown") {
  CHECK(problems(model_from_yaml(with(tiny_model, "top_k: 2", "top_k: {kind: assumed}"))) ==
        "m.yaml:7:8: error: top_k.value: the required key 'value' is missing\n");
  CHECK(problems(model_from_yaml(with(tiny_model, "top_k: 2", "top_k: {value: x, sources: y}"))) ==
        "m.yaml:7:16: error: top_k: 'x' is not a number; a whole number from 1 to 65536 is needed\n"
        "m.yaml:7:19: error: top_k.sources: unknown key 'sources'; did you mean 'source'?\n");
}

TEST_CASE("a wafer keeps every number of its description in the schema's order") {
  const auto wafer = wafer_from_yaml(text_of(BTA_TEST_DATA "/hardware/one-core.yaml"));
  REQUIRE(wafer.has_value());
  const std::vector<SourcedNumber>& numbers = wafer.value().numbers;
  REQUIRE(numbers.size() == 27);
  CHECK(numbers.front().key == "grid.rows");
  CHECK(numbers[2].key == "core.sram");
  CHECK(numbers[2].value == "44GB");
  CHECK(numbers.back().key == "attention_kernel.block_rows");
}

TEST_SUITE_END();

}  // namespace
