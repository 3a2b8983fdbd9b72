#include "input/routing_csv.h"

#include <doctest/doctest.h>

#include "support/approx.h"
#include "unit/input/input_support.h"

namespace {

using bta::MeasuredRouting;
using bta::read_routing;

std::string problems(const std::string& text) {
  return bta::test::problems(read_routing(text, "folder/r.csv"));
}

MeasuredRouting routing(const std::string& text) {
  const auto result = read_routing(text, "folder/r.csv");
  REQUIRE_MESSAGE(result.has_value(), problems(text));
  return result.value();
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("counts come back by expert, in whatever order rows and columns stand") {
  const MeasuredRouting read = routing("tokens,expert\n30,2\n10.5,0\n0,1\n");
  CHECK(read.tokens_per_expert == std::vector<double>{10.5, 0, 30});
  CHECK(read.name == "r.csv");
  CHECK(read.layers == 0);
}

TEST_CASE("the content hash follows the counts, not comments, quotes or the order of columns") {
  const std::string hash = routing("expert,tokens\n0,1\n1,2\n").content_hash;
  CHECK(hash.size() == 64);
  CHECK(routing("# made by hand\ntokens,expert\r\n\"1\",0\r\n2,1\r\n").content_hash == hash);
  CHECK(routing("expert,tokens\n0,1\n1,3\n").content_hash != hash);
}

TEST_CASE("layers are averaged in order of load, each with the same weight") {
  const MeasuredRouting read = routing(
      "layer,expert,tokens\n"
      "4,0,30\n4,1,10\n"   // shares 0.75, 0.25
      "9,0,50\n9,1,150\n"  // the same, the other way round
      "7,0,200\n7,1,200\n");
  CHECK(read.layers == 3);
  REQUIRE(read.tokens_per_expert.size() == 2);
  CHECK(read.tokens_per_expert[0] == bta::approx(2.0 / 3));
  CHECK(read.tokens_per_expert[1] == bta::approx(1.0 / 3));
}

TEST_CASE("a measured routing needs its columns and knows no others") {
  CHECK(problems("expert\n0\n") ==
        "folder/r.csv:1:1: error: tokens: there is no column 'tokens'; expert and tokens are needed\n");
  CHECK(problems("expert,tokens,lyaer\n0,1,1\n") ==
        "folder/r.csv:1:15: error: lyaer: unknown key 'lyaer'; did you mean 'layer'?\n");
  CHECK(problems("expert,tokens\n") ==
        "folder/r.csv:1:1: error: there are no rows; one is needed for every expert: expert,tokens\n");
}

TEST_CASE("every expert stands once, and the line of the one that does not is named") {
  CHECK(problems("expert,tokens\n0,1\n1,2\n0,3\n") ==
        "folder/r.csv:4:1: error: expert: expert 0 stands twice, on lines 2 and 4; keep one of them\n");
  CHECK(problems("expert,tokens\n1,1\n2,2\n") ==
        "folder/r.csv:2:1: error: expert: expert 0 has no row; experts are numbered from 0, here to 2, and "
        "each needs one\n");
  CHECK(problems("layer,expert,tokens\n0,0,1\n0,1,1\n0,2,1\n3,2,1\n") ==
        "folder/r.csv:5:1: error: expert: expert 0 of layer 3 (and 1 more) has no row; experts are numbered "
        "from 0, here to 2, and each needs one\n");
  CHECK(problems("layer,expert,tokens\n0,0,1\n1,0,1\n1,0,1\n") ==
        "folder/r.csv:4:3: error: expert: expert 0 of layer 1 stands twice, on lines 3 and 4; keep one of "
        "them\n");
}

TEST_CASE("what is no count and no number of an expert is refused where it stands") {
  CHECK(problems("expert,tokens\n0,-1\n") ==
        "folder/r.csv:2:3: error: tokens: '-1' is out of range; a number of at least 0 and at most "
        "9007199254740992 is needed\n");
  CHECK(problems("expert,tokens\n-1,1\n0.5,1\n65536,1\n").find(":2:1: error: expert: '-1'") !=
        std::string::npos);
  CHECK(problems("expert,tokens\n0,\n") ==
        "folder/r.csv:2:3: error: tokens: the required key 'tokens' is empty\n");
  CHECK(problems("expert,tokens\n0,many\n1,nan\n").find(":3:3: error: tokens: 'nan'") != std::string::npos);
}

TEST_CASE("counts that are all 0 say nothing about shares") {
  CHECK(problems("expert,tokens\n0,0\n1,0\n") ==
        "folder/r.csv:2:1: error: tokens: all counts are 0; some expert must have tokens\n");
  CHECK(problems("layer,expert,tokens\n0,0,1\n1,0,0\n") ==
        "folder/r.csv:3:1: error: tokens: all counts of layer 1 are 0; some expert must have tokens\n");
}

TEST_CASE("what is wrong with the table itself is told first") {
  CHECK(problems("expert;tokens\n0;1\n") ==
        "folder/r.csv:1:1: error: 'expert;tokens' is a single column: commas are needed between columns, not "
        "semicolons\n");
}

TEST_SUITE_END();

}  // namespace
