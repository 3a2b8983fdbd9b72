// Does verify check what it is asked, run it, and end with the code that its claims mean?
#include "verify/verify.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/terminal.h"
#include "cli/verify_command.h"
#include "support/program.h"

namespace {

using bta::Format;
using bta::cli::ExitCode;
using bta::cli::Output;
using nlohmann::json;
using namespace bta::cli_test;
using Words = std::vector<std::string>;

/// One full-size point without data: the least there is to do.
const Words quick = {"verify", "--shape-only", "-B1", "-G1"};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The document of `verify`; its code must be what it says of itself.
json verified(const Words& more) {
  const Run result = run(with({"verify", "--format", "json"}, more));
  CHECK(result.err.empty());
  const json document = json::parse(result.out);
  CHECK(result.code == (document.at("passed").get<bool>() ? 0 : 1));
  return document;
}

Surroundings errors_to(const Terminal& terminal, const Words& no_color = {}) {
  Surroundings surroundings;
  surroundings.stderr_file = terminal.path();
  for (const std::string& value : no_color) surroundings.variables.emplace_back("NO_COLOR", value);
  return surroundings;
}

void check_refused(const Words& more, const std::string& message) {
  const Run result = run(with({"verify"}, more));
  CHECK(result.code == 2);
  CHECK(result.out.empty());
  CHECK(result.err == message);
}

bta::verify::Verification one_check(std::int64_t failed) {
  bta::verify::Check check;
  check.claim = "a claim";
  check.about = "a run";
  check.compared = 3;
  check.failed = failed;
  return {{}, {check}};
}

ExitCode delivered(std::int64_t failed, const std::string& path) {
  bta::Result<Output> output = Output::open(path);
  REQUIRE(output);
  return bta::cli::deliver(one_check(failed), {}, Format::csv, output.value());
}

TEST_SUITE_BEGIN("verify");

TEST_CASE("a claim that fails is 1, and the report is written") {
  const TemporaryFolder folder;
  CHECK(delivered(1, folder.path("failed.csv")) == ExitCode::failed);
  CHECK(read_file(folder.path("failed.csv")).find("\r\na claim,a run,failed,3,1,") != std::string::npos);
  CHECK(delivered(0, folder.path("holds.csv")) == ExitCode::done);
  CHECK(read_file(folder.path("holds.csv")).find("\r\na claim,a run,ok,3,0,") != std::string::npos);
  CHECK(folder.names() == Words{"failed.csv", "holds.csv"});
}

TEST_CASE("claims that hold but cannot be written are 1, and a closed pipe is none of its business") {
  CHECK(run(with(quick, {"-o", "/dev/full"})).code == 1);
  const Run piped = run_process(quick, {.stdout_closed_pipe = true});
  CHECK(piped.code == 0);
  CHECK(piped.err.empty());
}

TEST_CASE("every claim holds, and options reach the run: level, workload, tiling, seed, random cases") {
  const json document =
      verified({"-B2", "-G", "3", "--seed", "5", "--random", "20", "--experts", "64", "--top-k", "2",
                "--seq-len", "1024", "--checkpoint", "X", "--mask", "causal"});
  CHECK(document.at("passed") == true);
  CHECK(document.at("command") == "verify");
  CHECK(document.at("run") ==
        json{{"shape_only", false}, {"seed", 5}, {"random_cases", 20}, {"tile_batch", 2}, {"tiles", 3}});
  CHECK(document.at("workload").at("seq_len") == 1024);
  CHECK(document.at("workload").at("checkpoint") == "X");
  CHECK(document.at("claims") == document.at("checks").size());
  CHECK(document.at("claims_held") == document.at("claims"));
  REQUIRE(!document.at("checks").empty());
  for (const json& check : document.at("checks")) {
    CHECK(check.at("status") == "ok");
    CHECK(check.at("failed") == 0);
    CHECK(check.at("compared") > 0);
  }
}

TEST_CASE("shapes alone run at full size, without a point at the planned one") {
  const json document = verified({"--shape-only"});
  CHECK(document.at("passed") == true);
  CHECK(document.at("run").at("shape_only") == true);
  for (const char* const key : {"random_cases", "tile_batch", "tiles"})
    CHECK(document.at("run").at(key).is_null());
  CHECK(document.at("checks").size() > verified({"--shape-only", "-B", "1"}).at("checks").size());
}

TEST_CASE("a dense model is verified too, and the same seed gives the same bytes") {
  const Words words = {"verify", "--model", "qwen3-8b", "--random", "0",        "--seed", "3",
                       "-B",     "1",       "-G",       "2",        "--format", "csv"};
  const Run first = run(words);
  CHECK(first.code == 0);
  CHECK(run(words).out == first.out);
}

TEST_CASE("one of -B and -G means 1 for the other, as in explain") {
  CHECK(verified({"--shape-only", "-B", "2"}).at("run").at("tiles") == 1);
  CHECK(verified({"--shape-only", "-G", "2"}).at("run").at("tile_batch") == 1);
}

TEST_CASE("a scaled-down run of too many sequences is refused with what it takes") {
  const Run result = run({"verify", "-B", "1000", "-G", "1000"});
  CHECK(result.code == 2);
  CHECK(result.out.empty());
  CHECK(result.err.starts_with("bta-plan: error: this cannot be verified: B*G = 1000000 "));
}

TEST_CASE("mask half is refused: nothing runs it") {
  check_refused({"--mask", "half"},
                "command line: error: --mask: half exists only to compare FLOPs and no executor can run it; "
                "verify takes full or causal\n");
}

TEST_CASE("what is wrong with the options is told together") {
  check_refused({"--seed", "-1", "--random", "-2", "--seq-len", "010", "--mask", "half"},
                "command line: error: --seed: '-1' is too small; a whole number from 0 to "
                "9007199254740992 is needed\n"
                "command line: error: --random: '-2' is too small; a whole number from 0 to 1000000 is "
                "needed\n"
                "command line: error: --mask: half exists only to compare FLOPs and no executor can run it; "
                "verify takes full or causal\n"
                "command line: error: --seq-len: '010' has a leading zero; write 10; a whole number from 1 "
                "to 9007199254740992 is needed\n");
  check_refused({"--shape-only", "--random", "3"},
                "command line: error: --random: goes without --shape-only, which runs nothing but the full "
                "size\n");
  check_refused({"--experts", "8,16", "--top-k", "1:2"},
                "command line: error: --experts: verify takes one value\n"
                "command line: error: --top-k: verify takes one value\n");
  check_refused({"--top", "3"},
                "command line: error: --top: is no option of this command; --help lists them\n");
  check_refused({"--tile", "3"},
                "command line: error: --tile: is no option of this command; did you mean --tiles?\n");
}

TEST_CASE("counts beyond 64 bits are an error, not a signal, and leave no file") {
  const TemporaryFolder folder;
  const Run result =
      run({"verify", "--shape-only", "-B", "3037000500", "-G", "3037000500", "-o", folder.path("a.json")});
  CHECK(result.code == 2);
  CHECK(result.err == "bta-plan: error: the workload is too large to count exactly in 64 bits\n");
  CHECK(folder.names().empty());
}

TEST_CASE("progress is one line on a terminal, cut to its width, gone at the end, without colour") {
  for (const Words& no_color : {Words{}, Words{"1"}}) {
    Terminal terminal(30);
    CHECK(run_process(quick, errors_to(terminal, no_color)).code == 0);
    const std::string written = terminal.written();
    CHECK(written.starts_with("\rverify 1/"));
    CHECK(written.find("\rverify 2/") != std::string::npos);
    CHECK(written.ends_with("\r" + std::string(29, ' ') + "\r"));
    CHECK(written.find('\n') == std::string::npos);
    CHECK(written.find('\x1b') == std::string::npos);
    std::istringstream lines(written);
    for (std::string line; std::getline(lines, line, '\r');) CHECK(line.size() <= 29);
  }
}

TEST_CASE("no progress when --quiet, or when stderr is no terminal") {
  Terminal terminal(80);
  CHECK(run_process(with(quick, {"-q"}), errors_to(terminal)).code == 0);
  CHECK(terminal.written().empty());
  CHECK(run(quick).err.empty());
}

TEST_CASE("an error stands on a line of its own, the progress before it is gone") {
  Terminal terminal(80);
  CHECK(run_process({"verify", "-B", "1000", "-G", "1000"}, errors_to(terminal)).code == 2);
  CHECK(terminal.written().starts_with("bta-plan: error: this cannot be verified: "));
}

TEST_SUITE_END();

}  // namespace
