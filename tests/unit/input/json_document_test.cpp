#include <doctest/doctest.h>

#include "input/document.h"
#include "unit/input/input_support.h"

namespace {

using bta::Node;
using bta::parse_json;

std::string problems(const std::string& text) {
  return bta::test::problems(parse_json(text, "c.json"));
}

Node root(const std::string& text) {
  const auto document = parse_json(text, "c.json");
  REQUIRE_MESSAGE(document.has_value(), problems(text));
  REQUIRE(document.value().problems.empty());
  return document.value().root;
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("JSON values and keys know their line and column") {
  const Node node = root("{\n  \"a\": 1,\n  \"b\" : [true, \"x\\\"y\", {\"c\": null}]\n}");
  REQUIRE(node.children.size() == 2);
  CHECK(node.at == bta::Position{1, 1});
  CHECK(node.children[0].key_at == bta::Position{2, 3});
  CHECK(node.children[0].at == bta::Position{2, 8});
  const Node& list = node.children[1];
  CHECK(list.at == bta::Position{3, 9});
  CHECK(list.children[0].at == bta::Position{3, 10});
  CHECK(list.children[1].at == bta::Position{3, 16});
  CHECK(list.children[1].text == "x\"y");
  CHECK(list.children[2].children[0].key_at == bta::Position{3, 25});
  CHECK(list.children[2].children[0].at == bta::Position{3, 30});
}

TEST_CASE("columns count characters, not bytes") {
  CHECK(root("{\"\xC3\xA9\": 7}").children[0].at == bta::Position{1, 7});
}

TEST_CASE("numbers keep the digits they were written with") {
  const Node node = root("[12345678901234567890123, 0.850, 1e5, -0, 4096.0, -7,1E+2]");
  const std::vector<std::string> written{
      "12345678901234567890123", "0.850", "1e5", "-0", "4096.0", "-7", "1E+2"};
  for (std::size_t i = 0; i < written.size(); ++i) {
    CHECK(node.children[i].text == written[i]);
    CHECK_FALSE(node.children[i].quoted);
  }
}

TEST_CASE("text, booleans and null stay apart") {
  const Node node = root("[\"1\", true, false, null, \"\"]");
  CHECK(node.children[0].quoted);
  CHECK(node.children[1].text == "true");
  CHECK_FALSE(node.children[1].quoted);
  CHECK(node.children[3].kind == Node::Kind::null);
  CHECK(node.children[4].kind == Node::Kind::scalar);
}

TEST_CASE("a duplicate JSON key names the key and both lines") {
  const auto document = parse_json("{\"a\": 1,\n \"t\": {\"k\": 1,\n \"k\": 2},\n \"a\": 3}", "c.json");
  REQUIRE(document.has_value());
  REQUIRE(document.value().problems.size() == 2);
  CHECK(to_string(document.value().problems[0]) ==
        "c.json:3:2: error: t.k: key 'k' stands twice in one map, on lines 2 and 3; keep one of them");
  CHECK(to_string(document.value().problems[1]) ==
        "c.json:4:2: error: a: key 'a' stands twice in one map, on lines 1 and 4; keep one of them");
}

TEST_CASE("what is not JSON is named for what it is") {
  CHECK(problems("{\"a\": NaN}") ==
        "c.json:1:7: error: a: NaN is not a JSON number; write a finite number or null\n");
  CHECK(problems("{\"a\": Infinity}") ==
        "c.json:1:7: error: a: Infinity is not a JSON number; write a finite number or null\n");
  CHECK(problems("{\"a\": -Infinity}") ==
        "c.json:1:7: error: a: -Infinity is not a JSON number; write a finite number or null\n");
  CHECK(problems("{\"a\": 1, // note\n \"b\": 2}") ==
        "c.json:1:10: error: comments are not JSON; remove them\n");
  CHECK(problems("{\"a\": 1e999}") ==
        "c.json:1:7: error: a: this is not valid JSON: number overflow parsing '1e999'\n");
}

TEST_CASE("a JSON syntax error has its line and column") {
  CHECK(problems("{\"a\": 1,\n}") ==
        "c.json:2:1: error: this is not valid JSON: syntax error while parsing object key - unexpected '}'; "
        "expected "
        "string literal\n");
  CHECK(problems("{\"a\": 0100}") == "c.json:1:7: error: a: '0100' has a leading zero; write 100\n");
  CHECK(problems("{\"a\": 1} x").starts_with("c.json:1:10: error: this is not valid JSON:"));
  CHECK(problems("{\"a\": ").starts_with("c.json:1:7: error: a: this is not valid JSON:"));
  CHECK(problems("").starts_with("c.json:1:1: error: this is not valid JSON:"));
}

TEST_CASE("deep JSON is refused without recursion") {
  CHECK(problems(std::string(64, '[') + std::string(64, ']')).empty());
  CHECK(problems(std::string(100000, '[')) ==
        "c.json:1:65: error: the document is nested deeper than 64 levels\n");
}

TEST_SUITE_END();

}  // namespace
