// Does every outcome have its exit code, its stream and its message?
#include <doctest/doctest.h>

#include "support/program.h"

namespace {

using bta::cli_test::Run;
using bta::cli_test::run;
using bta::cli_test::run_process;

void check_refused(const Run& result, const std::string& message) {
  CHECK(result.code == 2);
  CHECK(result.out.empty());
  CHECK(result.err == message);
}

TEST_SUITE_BEGIN("exit codes");

TEST_CASE("done is 0, data on stdout, notes on stderr") {
  const Run result = run({});
  CHECK(result.code == 0);
  CHECK(result.out.starts_with("qwen3-30b-a3b on cerebras-cs2, 1 wafer\n"));
  CHECK(result.err ==
        "bta-plan: note: experts keep the model's width at every top_k; the published series needs "
        "--iso-active, "
        "which keeps the active parameters constant\n");
}

TEST_CASE("the program exits with the code of its command, and writes the same streams") {
  for (const auto& [words, code] : {std::pair(std::vector<std::string>{}, 0),
                                    {{"--seqlen", "4096"}, 2},
                                    {{"--seq-len", "200000", "--format", "csv"}, 3}}) {
    const Run program = run_process(words), command = run(words);
    CHECK(program.code == code);
    CHECK(program.code == command.code);
    CHECK(program.out == command.out);
    CHECK(program.err == command.err);
  }
  CHECK(run_process({"-o", "/dev/full"}).code == 1);
}

TEST_CASE("--quiet keeps stderr empty") {
  const Run result = run({"--quiet"});
  CHECK(result.code == 0);
  CHECK(result.err.empty());
}

TEST_CASE("no note on a series that was asked for") {
  for (const auto& words :
       {std::vector<std::string>{"--iso-active"}, {"--experts", "16"}, {"--model", "llama-2-7b"}})
    CHECK(run(words).err.empty());
}

TEST_CASE("the version and the help are data and exit 0") {
  CHECK(run({"--version"}).out == "bta-plan 0.1.0\n");
  CHECK(run({"plan", "--version"}).out == "bta-plan 0.1.0\n");
  for (const auto& words : {std::vector<std::string>{"--help"},
                            {"plan", "--help"},
                            {"explain", "-h"},
                            {"verify", "--help"},
                            {"help", "show"}}) {
    const Run result = run(words);
    CHECK(result.code == 0);
    CHECK(!result.out.empty());
    CHECK(result.err.empty());
  }
}

TEST_CASE("a command that was mistyped is told the nearest") {
  check_refused(run({"exlpain"}), "command line: error: 'exlpain' is no command; did you mean explain?\n");
  check_refused(run({"frobnicate"}),
                "command line: error: 'frobnicate' is no command; commands are plan, explain, verify, "
                "calibrate, import, list, show\n");
}

TEST_CASE("an option that was mistyped is told the nearest, with every other error of the line") {
  check_refused(run({"--seqlen", "4096"}),
                "command line: error: --seqlen: is no option of this command; did you mean --seq-len?\n");
  check_refused(run({"--seqlen=4096", "--mask", "causl"}),
                "command line: error: --seqlen: is no option of this command; did you mean --seq-len?\n"
                "command line: error: --mask: 'causl' is none of full, causal, half; did you mean causal?\n");
}

TEST_CASE("an option of another command is refused") {
  check_refused(run({"plan", "--pareto"}),
                "command line: error: --pareto: is no option of this command; --help lists them\n");
}

TEST_CASE("options without value, with too much, or given twice are refused") {
  check_refused(run({"--seq-len"}), "command line: error: --seq-len: needs a value after it\n");
  check_refused(run({"--iso-active=no"}), "command line: error: --iso-active: takes no value\n");
  check_refused(run({"--seq-len", "1", "--seq-len", "2"}),
                "command line: error: --seq-len: stands 2 times; it may stand once\n");
  check_refused(
      run({"--seq-len", "1024", "explain"}),
      "command line: error: unexpected 'explain'; plan takes only options, and a command word comes first\n");
}

TEST_CASE("a data type the hardware lacks names its key") {
  check_refused(
      run({"--precision", "fp32"}),
      "cerebras-cs2: error: core.multiply_adds_per_cycle.fp32: is not there, so --precision fp32 cannot be "
      "planned on cerebras-cs2\n");
}

TEST_CASE("counts beyond 64 bits are an error, not a signal") {
  check_refused(run({"-q", "--seq-len", "4503599627370496"}),
                "bta-plan: error: the workload is too large to count exactly in 64 bits\n");
}

TEST_CASE("nothing feasible is 3, and the rows stay") {
  const Run result = run({"--seq-len", "200000", "-q", "--format", "csv"});
  CHECK(result.code == 3);
  CHECK(result.err.empty());
  CHECK(result.out.find(",infeasible,") != std::string::npos);
}

TEST_CASE("levels that cannot be are refused") {
  CHECK(run({"--experts", "4", "--top-k", "8"}).code == 2);
  CHECK(run({"--model", "llama-2-7b", "--top-k", "2"}).code == 2);
}

TEST_CASE("an unknown model or file is named with what there is") {
  const Run result = run({"--model", "qwen3-30b-a3"});
  CHECK(result.code == 2);
  CHECK(result.err.find("qwen3-30b-a3b") != std::string::npos);
}

TEST_CASE("a routing that is neither known nor a file is named with what is allowed") {
  check_refused(run({"--routing", "counts.csv"}),
                "command line: error: --routing: 'counts.csv' is neither balanced nor zipf:A nor a file of "
                "counts, expert,tokens\n");
}

TEST_CASE("overrides say what form they have, and are checked like a file") {
  check_refused(
      run({"--set", "topk=3"}),
      "command line: error: --set: 'topk=3' is not of the form model.KEY=VALUE or hardware.KEY=VALUE\n");
  CHECK(run({"--set", "model.topk=3"}).err.find("did you mean 'top_k'?") != std::string::npos);
  CHECK(run({"--set", "hardware.grid.rows=010"}).code == 2);
}

TEST_SUITE_END();

}  // namespace
