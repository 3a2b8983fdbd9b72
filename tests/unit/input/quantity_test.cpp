#include "input/quantity.h"

#include <doctest/doctest.h>

namespace {

using bta::Dimension;

std::int64_t bytes(std::string_view text) {
  return bta::parse_bytes(text, {0, INT64_MAX}).value().value;
}

double quantity(std::string_view text, Dimension dimension) {
  return bta::parse_quantity(text, dimension, {0, 1e24}).value();
}

std::string bytes_problem(std::string_view text) {
  const auto parsed = bta::parse_bytes(text, {1, std::int64_t{1} << 50});
  return parsed ? "was read" : parsed.error();
}

std::string problem(std::string_view text, Dimension dimension) {
  const auto parsed = bta::parse_quantity(text, dimension, {0, 1e24, true, false});
  return parsed ? "was read" : parsed.error();
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("GB is a power of 1000 and GiB a power of 1024, to the byte") {
  CHECK(bytes("44GB") == 44'000'000'000);
  CHECK(bytes("44GiB") == 47'244'640'256);
  CHECK(bytes("48KiB") == 49152);
  CHECK(bytes("48kB") == 48000);
  CHECK(bytes("48KB") == 48000);
  CHECK(bytes("48 KiB") == 49152);
  CHECK(bytes("1.5KiB") == 1536);
  CHECK(bytes("0.1kB") == 100);
  CHECK(bytes("1e3B") == 1000);
  CHECK(bytes("2TiB") == 2'199'023'255'552);
  CHECK(bytes("8191PiB") == 8191LL << 50);
  CHECK(bytes("0B") == 0);
}

TEST_CASE("a size must be a whole number of bytes") {
  CHECK(bytes_problem("0.1KiB") == "'0.1KiB' is not a whole number of bytes");
  CHECK(bytes_problem("1.0001kB") == "'1.0001kB' is not a whole number of bytes");
  CHECK(bytes_problem("0B") == "'0B' is out of range; from 1 to 1125899906842624 bytes are allowed");
  CHECK(bytes_problem("-1B") == "'-1B' is out of range; from 1 to 1125899906842624 bytes are allowed");
  CHECK(bytes_problem("8192PiB") ==
        "'8192PiB' is out of range; from 1 to 1125899906842624 bytes are allowed");
}

TEST_CASE("rates and times come out in SI base units, correctly rounded") {
  CHECK(quantity("1.1GHz", Dimension::hertz) == 1.1e9);
  CHECK(quantity("1.085GHz", Dimension::hertz) == 1.085e9);
  CHECK(quantity("50THz", Dimension::hertz) == 50e12);
  CHECK(quantity("150GB/s", Dimension::bytes_per_second) == 150e9);
  CHECK(quantity("1GiB/s", Dimension::bytes_per_second) == 1073741824.0);
  CHECK(quantity("20PB/s", Dimension::bytes_per_second) == 20e15);
  CHECK(quantity("7.5PFLOP/s", Dimension::flops_per_second) == 7.5e15);
  CHECK(quantity("1EFLOP/s", Dimension::flops_per_second) == 1e18);
  CHECK(quantity("1.5ms", Dimension::seconds) == 1.5e-3);
  CHECK(quantity("3us", Dimension::seconds) == 3e-6);
  CHECK(quantity("7ns", Dimension::seconds) == 7e-9);
  CHECK(quantity("0s", Dimension::seconds) == 0);
}

TEST_CASE("a bare letter is not a unit") {
  const std::string two_meanings =
      " ends in a bare letter, which could mean powers of 1000 or of 1024; write GB (1e9 bytes) or GiB (2^30 "
      "bytes) "
      "and the like";
  CHECK(bytes_problem("44G") == "'44G'" + two_meanings);
  CHECK(bytes_problem("44 K") == "'44 K'" + two_meanings);
  CHECK(bytes_problem("48Ki") == "'48Ki'" + two_meanings);
  CHECK(problem("1.1G", Dimension::hertz) ==
        "'1.1G' ends in a bare letter, which is not a unit; a frequency is needed, such as 1.1GHz");
}

TEST_CASE("bits are not bytes") {
  for (const char* const text : {"44Gb", "44Gib", "44Gbit", "44Mbits", "1b"}) {
    CAPTURE(text);
    CHECK(bytes_problem(text) ==
          "'" + std::string(text) + "' counts bits, which are not bytes; divide by 8 and write B for bytes");
  }
  CHECK(problem("1.2Tb/s", Dimension::bytes_per_second) ==
        "'1.2Tb/s' counts bits, which are not bytes; divide by 8 and write B for bytes");
  CHECK(problem("10Gbps", Dimension::bytes_per_second) ==
        "'10Gbps' counts bits, which are not bytes; divide by 8 and write B for bytes");
}

TEST_CASE("a unit of another dimension is named as what it is") {
  CHECK(bytes_problem("1.1GHz") == "'1.1GHz' is a frequency; a size in bytes is needed, such as 48KiB");
  CHECK(bytes_problem("150GB/s") ==
        "'150GB/s' is a rate in bytes per second; a size in bytes is needed, such as 48KiB");
  CHECK(problem("150GB", Dimension::bytes_per_second) ==
        "'150GB' is a size in bytes; a rate in bytes per second is needed, such as 150GB/s");
  CHECK(problem("1ms", Dimension::hertz) == "'1ms' is a time; a frequency is needed, such as 1.1GHz");
}

TEST_CASE("a missing, misspelt or misplaced unit is told apart") {
  CHECK(bytes_problem("48") == "'48' has no unit; a size in bytes is needed, such as 48KiB");
  CHECK(bytes_problem("KiB") == "'KiB' has no number; a size in bytes is needed, such as 48KiB");
  CHECK(bytes_problem("") == "'' has no number; a size in bytes is needed, such as 48KiB");
  CHECK(problem("7.5PFLOPS", Dimension::flops_per_second) ==
        "'7.5PFLOPS' has the unknown unit 'PFLOPS', did you mean 'PFLOP/s'?; known here: FLOP/s, MFLOP/s, "
        "GFLOP/s, "
        "TFLOP/s, PFLOP/s, EFLOP/s");
  CHECK(bytes_problem("48KIB").starts_with("'48KIB' has the unknown unit 'KIB', did you mean 'KiB'?"));
  CHECK(bytes_problem("48 parsecs")
            .starts_with("'48 parsecs' has the unknown unit 'parsecs'; known here: B, kB, KB"));
  CHECK(bytes_problem("48  KiB").starts_with("'48  KiB' has the unknown unit ' KiB'"));
  CHECK(bytes_problem("48KiB ").starts_with("'48KiB ' has the unknown unit 'KiB '"));
}

TEST_CASE("the number of a quantity follows the rules of numbers") {
  CHECK(bytes_problem("1_000B") ==
        "'1_000' has an underscore; write the digits only; a size in bytes is needed, such as 48KiB");
  CHECK(bytes_problem("048KiB") ==
        "'048' has a leading zero; write 48; a size in bytes is needed, such as 48KiB");
  CHECK(problem("1,1GHz", Dimension::hertz) ==
        "'1,1' has a comma; the decimal mark is a point and digits are not grouped; a frequency is needed, "
        "such as "
        "1.1GHz");
  CHECK(problem(".infGHz", Dimension::hertz) == "'.' is not a number; a frequency is needed, such as 1.1GHz");
  CHECK(problem("0GHz", Dimension::hertz) ==
        "'0GHz' is out of range; above 0 Hz and at most 1e+24 Hz is allowed");
  CHECK(problem("-1GHz", Dimension::hertz) ==
        "'-1GHz' is out of range; above 0 Hz and at most 1e+24 Hz is allowed");
  CHECK(problem("1e30THz", Dimension::hertz) ==
        "'1e30THz' is out of range; above 0 Hz and at most 1e+24 Hz is allowed");
}

TEST_SUITE_END();

}  // namespace
