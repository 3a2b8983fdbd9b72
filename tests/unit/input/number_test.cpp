#include "input/number.h"

#include <doctest/doctest.h>

#include <limits>

namespace {

using bta::IntegerRange;
using bta::parse_integer;
using bta::parse_real;
using bta::RealRange;

std::string integer_problem(std::string_view text, IntegerRange range = {1, 1000000}) {
  const auto parsed = parse_integer(text, range);
  return parsed ? "read as " + std::to_string(parsed.value()) : parsed.error();
}

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr RealRange any_real{-infinity, infinity};

std::string real_problem(std::string_view text, RealRange range = {0, 1, true, false}) {
  const auto parsed = parse_real(text, range);
  return parsed ? "was read" : parsed.error();
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("a whole number may be written with a point or an exponent when it is exact") {
  for (const auto& row :
       std::vector<std::pair<const char*, std::int64_t>>{{"0", 0},
                                                         {"1", 1},
                                                         {"1e5", 100000},
                                                         {"1E5", 100000},
                                                         {"1e+5", 100000},
                                                         {"4096.0", 4096},
                                                         {"4096.000", 4096},
                                                         {"40.96e2", 4096},
                                                         {"409600e-2", 4096},
                                                         {"1.5e1", 15},
                                                         {"0e999999999999", 0},
                                                         {"-2", -2},
                                                         {"-0", 0},
                                                         {"9007199254740991.0", 9007199254740991}}) {
    CHECK_MESSAGE(parse_integer(row.first, {INT64_MIN, INT64_MAX}).value() == row.second, row.first);
  }
}

TEST_CASE("64-bit integers keep every digit") {
  CHECK(parse_integer("9223372036854775807", {0, INT64_MAX}).value() == INT64_MAX);
  CHECK(parse_integer("9007199254740993", {0, INT64_MAX}).value() == 9007199254740993);
  CHECK(integer_problem("9223372036854775808", {0, INT64_MAX}) ==
        "'9223372036854775808' is too large; a whole number of at least 0 is needed");
  CHECK(integer_problem("12345678901234567890123", {0, INT64_MAX}) ==
        "'12345678901234567890123' is too large; a whole number of at least 0 is needed");
}

TEST_CASE("a decimal form of 2^53 or more is refused: nobody can tell which integer was meant") {
  CHECK(integer_problem("9007199254740992.0", {0, INT64_MAX}) ==
        "'9007199254740992.0' is too large to be written with a point or an exponent; a whole number of at "
        "least "
        "0 is needed");
  CHECK(integer_problem("1e400", {0, INT64_MAX}) ==
        "'1e400' is too large; a whole number of at least 0 is needed");
}

TEST_CASE("what is not a whole number says so, with the range") {
  const std::string needed = "; a whole number from 1 to 1000000 is needed";
  CHECK(integer_problem("4096.5") == "'4096.5' is not a whole number" + needed);
  CHECK(integer_problem("1e-1") == "'1e-1' is not a whole number" + needed);
  CHECK(integer_problem("1e-999999999999") == "'1e-999999999999' is not a whole number" + needed);
  CHECK(integer_problem("0.00000000000000000000000000001") ==
        "'0.00000000000000000000000000001' is not a whole number" + needed);
  CHECK(integer_problem("1_000") == "'1_000' has an underscore; write the digits only" + needed);
  CHECK(integer_problem("0100") == "'0100' has a leading zero; write 100" + needed);
  CHECK(integer_problem("-010") == "'-010' has a leading zero; write -10" + needed);
  CHECK(integer_problem("00") == "'00' has a leading zero; write 0" + needed);
  CHECK(integer_problem("0x10") == "'0x10' is not decimal; write decimal digits" + needed);
  CHECK(integer_problem(".inf") == "'.inf' is not a finite number" + needed);
  CHECK(integer_problem("-.INF") == "'-.INF' is not a finite number" + needed);
  CHECK(integer_problem("nan") == "'nan' is not a finite number" + needed);
  CHECK(integer_problem("1,000") ==
        "'1,000' has a comma; the decimal mark is a point and digits are not grouped" + needed);
  CHECK(integer_problem("") == "an empty value is not a number" + needed);
  for (const char* const text :
       {"abc", " 1", "1 ", "+1", "1.", ".5", "1e", "1e+", "--1", "1.2.3", "8k", "1e5x", "-"}) {
    CAPTURE(text);
    CHECK(integer_problem(text) == "'" + std::string(text) + "' is not a number" + needed);
  }
}

TEST_CASE("the range includes its ends and nothing beyond") {
  CHECK(integer_problem("0") == "'0' is too small; a whole number from 1 to 1000000 is needed");
  CHECK(integer_problem("-2") == "'-2' is too small; a whole number from 1 to 1000000 is needed");
  CHECK(integer_problem("1000001") == "'1000001' is too large; a whole number from 1 to 1000000 is needed");
  CHECK(parse_integer("1", {1, 1000000}).value() == 1);
  CHECK(parse_integer("1000000", {1, 1000000}).value() == 1000000);
}

TEST_CASE("a real number is read to the nearest double") {
  for (const auto& row : std::vector<std::pair<const char*, double>>{
           {"0.85", 0.85},
           {"1", 1},
           {"1e-3", 1e-3},
           {"-2.5", -2.5},
           {"0", 0},
           {"0.1", 0.1},
           {"1e308", 1e308},
           {"123456789012345678901234567890", 123456789012345678901234567890.0}}) {
    CHECK_MESSAGE(parse_real(row.first, any_real).value() == row.second, row.first);
  }
}

TEST_CASE("a real number out of range says what is allowed") {
  CHECK(real_problem("0") == "'0' is out of range; a number above 0 and at most 1 is needed");
  CHECK(real_problem("1.5") == "'1.5' is out of range; a number above 0 and at most 1 is needed");
  CHECK(real_problem("1", {0, 1, false, true}) ==
        "'1' is out of range; a number of at least 0 and below 1 is needed");
  CHECK(real_problem("-1", {0, infinity}) == "'-1' is out of range; a number of at least 0 is needed");
  CHECK(real_problem("1e999") ==
        "'1e999' does not fit a double-precision number; a number above 0 and at most 1 is needed");
  CHECK(real_problem("0,85") ==
        "'0,85' has a comma; the decimal mark is a point and digits are not grouped; a number above 0 and at "
        "most "
        "1 is needed");
  CHECK(real_problem(".nan") == "'.nan' is not a finite number; a number above 0 and at most 1 is needed");
}

TEST_CASE("a long text is cut in a message and stays on one line") {
  CHECK(integer_problem(std::string(100, 'x')) ==
        "'" + std::string(60, 'x') + "...' is not a number; a whole number from 1 to 1000000 is needed");
  CHECK(integer_problem("a\nb") == "'a?b' is not a number; a whole number from 1 to 1000000 is needed");
  CHECK(integer_problem(std::string(59, 'x') + "\xC3\xA9" + "yz").substr(0, 64) ==
        "'" + std::string(59, 'x') + "...'");
}

TEST_SUITE_END();

}  // namespace
