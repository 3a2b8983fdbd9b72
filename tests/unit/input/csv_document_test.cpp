#include <doctest/doctest.h>

#include "input/document.h"
#include "unit/input/input_support.h"

namespace {

using bta::Node;
using bta::parse_csv;
using bta::Position;

std::string problems(const std::string& text) {
  return bta::test::problems(parse_csv(text, "t.csv"));
}

std::vector<Node> rows(const std::string& text) {
  const auto document = parse_csv(text, "t.csv");
  REQUIRE_MESSAGE(document.has_value(), problems(text));
  REQUIRE(document.value().problems.empty());
  CHECK(document.value().root.kind == Node::Kind::sequence);
  return document.value().root.children;
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("a CSV table is a list of maps, and its cells and names know their line and column") {
  const auto table = rows("expert,tokens\n0,12.50\n1, 7 \n");
  REQUIRE(table.size() == 2);
  CHECK(table[0].kind == Node::Kind::map);
  CHECK(table[0].at == Position{2, 1});
  REQUIRE(table[1].children.size() == 2);
  const Node& cell = table[1].children[1];
  CHECK(cell.key == "tokens");
  CHECK(cell.key_at == Position{1, 8});
  CHECK(cell.text == "7");
  CHECK(cell.at == Position{3, 4});
  CHECK(table[0].children[1].text == "12.50");
}

TEST_CASE("quotes in CSV hold commas, quotes and line breaks, and do not make text of a number") {
  const auto table = rows("name,n\n\"a, \"\"b\"\"\nc\",\"4\"\nd,5\n");
  REQUIRE(table.size() == 2);
  CHECK(table[0].children[0].text == "a, \"b\"\nc");
  CHECK(table[0].children[0].at == Position{2, 1});
  CHECK(table[0].children[1].text == "4");
  CHECK(table[0].children[1].at == Position{3, 4});
  CHECK_FALSE(table[0].children[1].quoted);
  CHECK(table[1].children[1].at == Position{4, 3});
}

TEST_CASE("CSV columns count characters, not bytes") {
  CHECK(rows("a,b\n\xC3\xA9,7\n")[0].children[1].at == Position{2, 3});
}

TEST_CASE("an empty CSV cell is nothing and stands where it would begin") {
  const auto table = rows("a,b,c\n1,,\" \"\n,2,\"\"");
  CHECK(table[0].children[1].kind == Node::Kind::null);
  CHECK(table[0].children[1].at == Position{2, 3});
  CHECK(table[0].children[2].text == " ");
  CHECK(table[1].children[0].kind == Node::Kind::null);
  CHECK(table[1].children[2].kind == Node::Kind::null);
  CHECK(rows("a,b\n1,")[0].children[1].at == Position{2, 3});
}

TEST_CASE("all line ends are read alike, and the last one may be missing") {
  for (const std::string text : {"a,b\n1,2\n3,4\n", "a,b\r\n1,2\r\n3,4", "a,b\r1,2\r3,4"}) {
    CAPTURE(text);
    const auto table = rows(text);
    REQUIRE(table.size() == 2);
    CHECK(table[1].children[1].text == "4");
    CHECK(table[1].children[1].at == Position{3, 3});
  }
}

TEST_CASE("comments and empty lines of a CSV file are skipped, inside quotes they are text") {
  const auto table = rows("# made \"by hand\", 1\r\n\r\na,b\n   \n#x\n\"1\n# 2\",#3\n#end");
  REQUIRE(table.size() == 1);
  CHECK(table[0].children[0].text == "1\n# 2");
  CHECK(table[0].children[1].text == "#3");
  CHECK(table[0].children[1].at == Position{7, 6});
  CHECK(rows("a,b\n").empty());
}

TEST_CASE("a CSV file without a header is refused") {
  const std::string message = "there is nothing in this file; its first row must name the columns\n";
  CHECK(problems("") == "t.csv:1:1: error: " + message);
  CHECK(problems("# only\n\n# comments") == "t.csv:1:1: error: " + message);
}

TEST_CASE("names of CSV columns are there and differ") {
  CHECK(problems("a,b,a\n1,2,3\n") ==
        "t.csv:1:5: error: a: column 'a' stands twice, as column 1 and as column 3; keep one of them\n");
  CHECK(problems("a,,b\n") ==
        "t.csv:1:3: error: column 2 has no name; the first row must name every column\n");
}

TEST_CASE("a CSV file with other separators is told that commas are needed") {
  CHECK(problems("a;b\n1;2\n") ==
        "t.csv:1:1: error: 'a;b' is a single column: commas are needed between columns, not semicolons\n");
  CHECK(problems("a\tb\n1\t2\n") ==
        "t.csv:1:1: error: 'a?b' is a single column: commas are needed between columns, not tabs\n");
}

TEST_CASE("every CSV row that is wider or narrower than the header is named") {
  CHECK(
      problems("a,b\n1\n1,2\n1,234,5\n") ==
      "t.csv:2:1: error: 1 cell where the header has 2 columns; write the missing ones, empty if need be\n"
      "t.csv:4:1: error: 3 cells where the header has 2 columns; put a cell that holds a comma in quotes\n");
  std::string many = "a,b\n";
  for (int row = 0; row < 50; ++row) many += "1\n";
  CHECK(parse_csv(many, "t.csv").error().size() == 10);
}

TEST_CASE("quotes out of place in CSV are refused where they stand") {
  CHECK(problems("a,b\n1,\"2\n3,4\n") ==
        "t.csv:2:3: error: a quoted cell is never closed; write its closing quote\n");
  CHECK(problems("a,b\n\"1\"x,2\n") ==
        "t.csv:2:4: error: text stands behind the closing quote of a cell; write a quote inside a cell "
        "twice\n");
  CHECK(
      problems("a,b\n1,2\"\n") ==
      "t.csv:2:4: error: a quote stands inside a cell; put the cell in quotes and write this quote twice\n");
}

TEST_CASE("a CSV table of a million cells is read and a larger one refused") {
  std::string text = "a\n";
  for (int row = 0; row < 1'000'000; ++row) text += "1\n";
  CHECK(rows(text).size() == 1'000'000);
  CHECK(problems(text + "2\n") == "t.csv:1000002:1: error: the table holds more than 1000000 cells\n");
}

TEST_SUITE_END();

}  // namespace
