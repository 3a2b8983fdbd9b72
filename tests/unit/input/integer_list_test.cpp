#include <doctest/doctest.h>

#include <numeric>

#include "input/number.h"

namespace {

using Values = std::vector<std::int64_t>;

Values list(std::string_view text) {
  return bta::parse_integer_list(text, {1, 1000000}).value();
}

std::string problem(std::string_view text) {
  const auto parsed = bta::parse_integer_list(text, {1, 1000000});
  return parsed ? "was read" : parsed.error();
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("a list keeps the order in which it was written") {
  CHECK(list("8") == Values{8});
  CHECK(list("8,4,2,1") == Values{8, 4, 2, 1});
  CHECK(list("1e2,3") == Values{100, 3});
}

TEST_CASE("a range includes its first value and never passes its last") {
  CHECK(list("1:4") == Values{1, 2, 3, 4});
  CHECK(list("5:5") == Values{5});
  CHECK(list("1:64:x2") == Values{1, 2, 4, 8, 16, 32, 64});
  CHECK(list("1:63:x2") == Values{1, 2, 4, 8, 16, 32});
  CHECK(list("1:10:4") == Values{1, 5, 9});
  CHECK(list("1:3,10,20:40:10") == Values{1, 2, 3, 10, 20, 30, 40});
}

TEST_CASE("a list of the greatest length is read, one more value is too many") {
  CHECK(list("1:10000").size() == 10000);
  CHECK(problem("1:10001") == "a list may hold at most 10000 values");
  CHECK(problem("1:6000,6001:12000") == "a list may hold at most 10000 values");
}

TEST_CASE("a step that would leave 64 bits ends the range") {
  const auto wide = bta::parse_integer_list("1:9223372036854775807:x3037000500", {1, INT64_MAX});
  CHECK(wide.value() == Values{1, 3037000500});
  const auto steps = bta::parse_integer_list("1:9223372036854775807:9223372036854775806", {1, INT64_MAX});
  CHECK(steps.value() == Values{1, INT64_MAX});
}

TEST_CASE("a list with a gap, a repeat or a bad value is refused") {
  CHECK(problem("8,,2") == "'8,,2' has a gap; write whole numbers separated by single commas");
  CHECK(problem("8,") == "'8,' has a gap; write whole numbers separated by single commas");
  CHECK(problem("") == "'' has a gap; write whole numbers separated by single commas");
  CHECK(problem("8,4,8") == "'8,4,8' holds 8 twice; each value may stand once");
  CHECK(problem("1:3,2") == "'1:3,2' holds 2 twice; each value may stand once");
  CHECK(problem("8,010") == "'010' has a leading zero; write 10; a whole number from 1 to 1000000 is needed");
  CHECK(problem("0:4") == "'0' is too small; a whole number from 1 to 1000000 is needed");
  CHECK(problem("4:1") == "'4:1' is an empty range; the first value is above the last");
  CHECK(problem("1:") == "an empty value is not a number; a whole number from 1 to 1000000 is needed");
  CHECK(problem("1:4:0") == "the step of a range: '0' is too small; a whole number of at least 1 is needed");
  CHECK(problem("1:4:x1") == "the step of a range: '1' is too small; a whole number of at least 2 is needed");
  CHECK(problem("1:2:3:4") ==
        "'1:2:3:4' is not a range; write FIRST:LAST, FIRST:LAST:STEP or FIRST:LAST:xFACTOR");
}

TEST_CASE("a range that grows by a factor must begin above zero") {
  const auto parsed = bta::parse_integer_list("0:8:x2", {0, 100});
  CHECK(parsed.error() == "'0:8:x2' cannot grow by a factor from a value below 1");
}

TEST_SUITE_END();

}  // namespace
