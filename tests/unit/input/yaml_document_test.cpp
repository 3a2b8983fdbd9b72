#include <doctest/doctest.h>

#include "input/document.h"
#include "unit/input/input_support.h"

namespace {

using bta::Node;
using bta::parse_yaml;

std::string problems(const std::string& text) {
  return bta::test::problems(parse_yaml(text, "f.yaml"));
}

Node root(const std::string& text) {
  const auto document = parse_yaml(text, "f.yaml");
  REQUIRE_MESSAGE(document.has_value(), problems(text));
  REQUIRE(document.value().problems.empty());
  return document.value().root;
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("values and keys know their line and column, counted from 1") {
  const Node node = root("a: 1\nbee:\n  c: [x, 2]\n  d:\n");
  REQUIRE(node.children.size() == 2);
  CHECK(node.children[0].at == bta::Position{1, 4});
  CHECK(node.children[0].key_at == bta::Position{1, 1});
  const Node& bee = node.children[1];
  CHECK(bee.key_at == bta::Position{2, 1});
  CHECK(bee.children[0].key == "c");
  CHECK(bee.children[0].key_at == bta::Position{3, 3});
  CHECK(bee.children[0].children[1].text == "2");
  CHECK(bee.children[0].children[1].at == bta::Position{3, 10});
  CHECK(bee.children[1].kind == Node::Kind::null);
}

TEST_CASE("null is written in any of YAML's ways") {
  const Node node = root("a:\nb: ~\nc: null\nd: Null\ne: NULL\nf: \"null\"\n");
  for (std::size_t i = 0; i < 5; ++i) CHECK(node.children[i].kind == Node::Kind::null);
  CHECK(node.children[5].kind == Node::Kind::scalar);
}

TEST_CASE("quotes are remembered: a quoted number is text") {
  const Node node = root("a: 4096\nb: \"4096\"\nc: '4096'\nd: |\n  4096\n");
  CHECK_FALSE(node.children[0].quoted);
  for (std::size_t i = 1; i < 4; ++i) CHECK(node.children[i].quoted);
}

TEST_CASE("CRLF lines read as LF lines do") {
  const Node node = root("a: 1\r\nb:\r\n  c: 2\r\n");
  CHECK(node.children[0].text == "1");
  CHECK(node.children[1].children[0].text == "2");
  CHECK(node.children[1].children[0].at == bta::Position{3, 6});
}

TEST_CASE("a tab separates, but does not indent") {
  CHECK(root("a:\t1\t# note\n").children[0].text == "1");
  CHECK(problems("a:\n\tb: 1\n") == "f.yaml:2:3: error: this is not valid YAML: illegal map value\n");
}

TEST_CASE("an empty document is null") {
  for (const char* const text : {"", "\n\n", "# only a comment\n", "---\n", "~"}) {
    CAPTURE(text);
    CHECK(root(text).kind == Node::Kind::null);
  }
}

TEST_CASE("a duplicate key names the key and both lines, and the rest is still read") {
  const auto document = parse_yaml("top_k: 2\na: {b: 1, c: 2, b: 3}\ntop_k: 8\n", "f.yaml");
  REQUIRE(document.has_value());
  const auto& found = document.value().problems;
  REQUIRE(found.size() == 2);
  CHECK(to_string(found[0]) ==
        "f.yaml:2:17: error: a.b: key 'b' stands twice in one map, on lines 2 and 2; keep one of them");
  CHECK(to_string(found[1]) ==
        "f.yaml:3:1: error: top_k: key 'top_k' stands twice in one map, on lines 1 and 3; keep one of them");
  CHECK(document.value().root.children.size() == 2);
  CHECK(document.value().root.children[0].text == "2");
}

TEST_CASE("a key written with and without quotes is the same key") {
  const auto document = parse_yaml("top_k: 2\n\"top_k\": 8\n", "f.yaml");
  CHECK(document.value().problems.size() == 1);
}

TEST_CASE("anchors, aliases and merge keys are refused") {
  CHECK(problems("a: &x 1\nb: 2\n") ==
        "f.yaml:1:4: error: a: anchor '&x' is not supported; write the value where it is needed\n");
  CHECK(problems("a: &x\n") ==
        "f.yaml:1:4: error: a: anchor '&x' is not supported; write the value where it is needed\n");
  CHECK(problems("&x a: 1\n") ==
        "f.yaml:1:1: error: anchor '&x' is not supported; write the value where it is needed\n");
  CHECK(problems("&a [*a]\n") ==
        "f.yaml:1:1: error: anchor '&a' is not supported; write the value where it is needed\n");
  CHECK(problems("a: *x\n") ==
        "f.yaml:1:4: error: this is not valid YAML: the referenced anchor is not defined\n");
  CHECK(problems("<<: {a: 1}\n") ==
        "f.yaml:1:1: error: merge keys (<<) are not supported; write the keys where they are needed\n");
}

TEST_CASE("tags are refused") {
  CHECK(
      problems("a: !!int 5\n") ==
      "f.yaml:1:4: error: a: tag 'tag:yaml.org,2002:int' is not supported; write the value without a tag\n");
  CHECK(problems("a: ! 5\n") ==
        "f.yaml:1:4: error: a: tag '!' is not supported; write the value without a tag\n");
  CHECK(problems("a: !mine {b: 1}\n") ==
        "f.yaml:1:4: error: a: tag '!mine' is not supported; write the value without a tag\n");
  CHECK(
      problems("a: !!seq [1]\n") ==
      "f.yaml:1:4: error: a: tag 'tag:yaml.org,2002:seq' is not supported; write the value without a tag\n");
}

TEST_CASE("a key must be text") {
  CHECK(problems("[a, b]: 1\n") ==
        "f.yaml:1:1: error: a list or a map stands where a key must be, or is never closed; a key must be "
        "text\n");
  CHECK(problems("~: 1\n") == "f.yaml:1:1: error: a key is empty; a key must be text\n");
  CHECK(problems("? {a: 1}\n: 2\n") ==
        "f.yaml:1:3: error: a list or a map stands where a key must be, or is never closed; a key must be "
        "text\n");
}

TEST_CASE("a second document is refused") {
  const std::string refusal = " a second document begins here; a file holds one description\n";
  CHECK(problems("a: 1\n---\nb: 2\n") == "f.yaml:2:1: error:" + refusal);
  CHECK(problems("a: 1\n---\n") == "f.yaml:2:1: error:" + refusal);
  CHECK(root("---\na: 1\n...\n").children.size() == 1);
}

TEST_CASE("nesting is refused beyond 64 levels, before the parser loses its way") {
  CHECK(problems(std::string(64, '[') + std::string(64, ']')).empty());
  CHECK(problems(std::string(65, '[') + std::string(65, ']')) ==
        "f.yaml:1:65: error: the document is nested deeper than 64 levels\n");
  CHECK(
      problems(std::string(20000, '[')).starts_with("f.yaml:1:1: error: a list or a map stands where a key"));
}

TEST_CASE("a quote or bracket that is never closed is refused, whatever follows") {
  for (const char* const text : {"a: \"x\n", "a: \"x\nb: 2\n", "a: 'x''\n", "\"a: 1\n", "a: \"x\\\"\n"}) {
    CAPTURE(text);
    CHECK_FALSE(problems(text).empty());
  }
  CHECK(problems("a: \"x\nb: 2\n") == "f.yaml:1:4: error: a: the quote that opens here is never closed\n");
  CHECK(problems("[1\n").starts_with(
      "f.yaml:1:1: error: a list or a map stands where a key must be, or is never closed"));
  CHECK(root("a: \"x\\\"\"\nb: 'it''s'\n").children[1].text == "it's");
}

TEST_CASE("control characters are refused where they stand") {
  CHECK(problems("a: 1\nb\x04: 2\n") == "f.yaml:2:2: error: control character 0x04 is not YAML\n");
  CHECK(problems("a: \x7F\n") == "f.yaml:1:4: error: control character 0x7F is not YAML\n");
}

TEST_CASE("columns of YAML count characters, not bytes") {
  CHECK(root("{\xC3\xA9: 7}").children[0].at == bta::Position{1, 5});
}

TEST_CASE("a document of absurdly many values is refused") {
  std::string text;
  for (int i = 0; i < 100001; ++i) text += "- 1\n";
  CHECK(problems(text) == "f.yaml:100000:3: error: the document holds more than 100000 values\n");
}

TEST_CASE("a flood of brackets or commas is refused before the parser takes it in") {
  const std::string refusal = "f.yaml: error: the document holds more than 100000 brackets and commas\n";
  CHECK(problems(std::string(100001, '[')) == refusal);
  CHECK(problems("[" + std::string(100000, ',')) == refusal);
}

TEST_CASE("a syntax error has the parser's words with line and column") {
  CHECK(problems("a: 1\nb: [1, 2\n") ==
        "f.yaml:3:1: error: this is not valid YAML: end of sequence flow not found\n");
  CHECK(problems("a: 1\n b: 2\n") == "f.yaml:2:3: error: this is not valid YAML: illegal map value\n");
  CHECK(problems("a: \"x") == "f.yaml:1:6: error: this is not valid YAML: illegal EOF in scalar\n");
}

TEST_SUITE_END();

}  // namespace
