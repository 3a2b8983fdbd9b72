// Are numbers on the command line read as strictly as in files?
#include <doctest/doctest.h>

#include "support/program.h"

namespace {

using bta::cli_test::run;

TEST_SUITE_BEGIN("numbers");

TEST_CASE("a number that other tools misread is refused with its option and what is allowed") {
  for (const std::string option :
       {"-B", "-G", "--seq-len", "--wafers", "--micro-batch", "--max-tile", "--max-micro-batch",
        "--global-batch", "--head-chunk", "--score-bytes", "--top"})
    for (const std::string text :
         {"010", "0x10", "1_000", "-2", "nan", "inf", "4096.5", "", "1,5", "3x", " 3", "0", "1e99"}) {
      CAPTURE(option);
      CAPTURE(text);
      const auto result = run({"explain", option, text});
      CHECK(result.code == 2);
      CHECK(result.out.empty());
      CHECK(result.err.find("command line: error: -") == 0);
      CHECK(result.err.find("is needed") != std::string::npos);
    }
}

TEST_CASE("whole messages about numbers") {
  CHECK(run({"explain", "-B", "010"}).err ==
        "command line: error: --tile-batch: '010' has a leading zero; write 10; a whole number from 1 to "
        "9007199254740992 is needed\n");
  CHECK(run({"--quantile", "nan"}).err ==
        "command line: error: --quantile: 'nan' is not a finite number; a number above 0 and at most "
        "0.999999999 is "
        "needed\n");
  CHECK(run({"--experts", "8,,2"}).err ==
        "command line: error: --experts: '8,,2' has a gap; write whole numbers separated by single commas\n");
}

TEST_CASE("forms with an exact whole value are that number") {
  const std::string plain = run({"-q", "--format", "csv", "--seq-len", "1000", "--experts", "16"}).out;
  for (const std::string text : {"1e3", "1000.0", "10e2"})
    CHECK(run({"-q", "--format", "csv", "--seq-len", text, "--experts", "16"}).out == plain);
}

TEST_CASE("reals are read strictly") {
  for (const std::string text : {"nan", "inf", "-1", "1", "0", "0x1p-1", ".5", "0,5", ""}) {
    CAPTURE(text);
    CHECK(run({"--quantile", text}).code == 2);
  }
  for (const std::string text : {"zipf:", "zipf:nan", "zipf:-1", "zipf:0x1", "zipf"}) {
    CAPTURE(text);
    CHECK(run({"--routing", text}).code == 2);
  }
}

TEST_CASE("lists and ranges mean the same numbers") {
  const std::string listed = run({"-q", "--format", "csv", "--experts", "8,16,32,64,128"}).out;
  CHECK(run({"-q", "--format", "csv", "--experts", "8:128:x2"}).out == listed);
  for (const std::string text : {"8,,2", ",8", "8,", "8:", "8:4", "8,8", "010", "8;16"}) {
    CAPTURE(text);
    CHECK(run({"--experts", text}).code == 2);
  }
}

TEST_SUITE_END();

}  // namespace
