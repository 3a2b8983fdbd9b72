// Does `calibrate` write what is shipped, the same every time, and refuse what it cannot do?
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/csv_text.h"
#include "support/approx.h"
#include "support/program.h"

namespace {

using namespace bta::cli_test;
using nlohmann::json;
using Words = std::vector<std::string>;

const std::string shipped = BTA_SOURCE_DIR "/examples/public-dense-runs.csv";
const std::string three_rows =
    "name,model,batch,seq_len,hardware,tokens_per_s\n"
    "one,llama-2-7b,99,2048,cs2,40000\n"
    "two,llama-2-7b,20,2048,cs2,30000\n"
    "three,qwen3-8b,64,2048,cs2,35000\n";

Words calibrate(const Words& more) {
  Words words = {"calibrate"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void check_refused(const Words& words, const std::string& message) {
  const Run result = run(calibrate(words));
  CHECK(result.code == 2);
  CHECK(result.out.empty());
  CHECK(result.err == message);
}

std::string without_first_comments(std::string text) {
  while (text.starts_with("#")) text.erase(0, text.find('\n') + 1);
  return text;
}

json calibrated(const Words& words) {
  Words all = calibrate(words);
  all.insert(all.end(), {"--format", "json", "--quiet"});
  const Run result = run(all);
  REQUIRE_MESSAGE(result.code == 0, result.err);
  return json::parse(result.out);
}

TEST_SUITE_BEGIN("calibrate");

TEST_CASE("the shipped hardware is what calibrating with the shipped runs writes") {
  const TemporaryFolder folder;
  for (const std::string name : {"cerebras-cs2", "cerebras-cs3"}) {
    CAPTURE(name);
    const std::string file = folder.path(name + ".yaml");
    const Run result = run(calibrate({shipped, "--hardware", name, "--write-hardware", file, "-q"}));
    CHECK(result.code == 0);
    CHECK(result.err.empty());
    CHECK(read_file(file) == without_first_comments(read_file(BTA_SOURCE_DIR "/hardware/" + name + ".yaml")));
  }
}

TEST_CASE("a calibration says the same every time") {
  for (const std::string format : {"table", "csv", "json", "markdown"}) {
    CAPTURE(format);
    const Words words = calibrate({shipped, "--format", format});
    const Run first = run(words), second = run(words);
    CHECK(first.code == 0);
    CHECK_FALSE(first.out.empty());
    CHECK(first.out == second.out);
    CHECK(first.err == second.err);
  }
}

TEST_CASE("a calibration's CSV has the rows of its JSON") {
  const json document = calibrated({shipped});
  const auto csv = read_csv(run(calibrate({shipped, "--format", "csv", "-q"})).out);
  const json& rows = document.at("rows");
  REQUIRE(csv.size() == rows.size() + 1);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    REQUIRE(csv[r + 1].size() == rows[r].size());
    for (std::size_t c = 0; c < csv[0].size(); ++c) CHECK(rows[r].contains(csv[0][c]));
    CHECK(csv[r + 1][0] == rows[r].at("name"));
  }
}

TEST_CASE("a calibration's JSON holds errors, intervals and what they rest on") {
  const json document = calibrated({shipped, "--confidence", "0.8"});
  CHECK(document.at("confidence") == 0.8);
  CHECK(document.at("degrees_of_freedom") == 3);
  for (const json& parameter : document.at("parameters")) {
    CHECK(parameter.at("low") <= parameter.at("value"));
    CHECK(parameter.at("value") <= parameter.at("high"));
  }
  double worst = 0;
  for (const json& row : document.at("rows")) {
    CHECK(row.at("error").get<double>() == bta::approx(row.at("predicted_tokens_per_s").get<double>() /
                                                           row.at("measured_tokens_per_s").get<double>() -
                                                       1));
    if (row.at("use") == "fit") worst = std::max(worst, std::abs(row.at("error").get<double>()));
    CHECK(row.at("left_out_error").is_null() == (row.at("use") == "report"));
  }
  CHECK(document.at("residual_error").at("worst") == worst);
  CHECK(document.at("correlation").at(0).at(1) == document.at("correlation").at(1).at(0));
}

TEST_CASE("a row without a length of its own takes --seq-len, and is told") {
  CHECK(run(calibrate({shipped})).err ==
        "bta-plan: note: Llama-2 7B 2.5.1: no seq_len, taken as 2048 (--seq-len)\n");
  CHECK(calibrated({shipped, "--seq-len", "4096"}).at("rows").back().at("seq_len") == 4096);
}

TEST_CASE("calibrate takes one CSV that is there") {
  check_refused(
      {},
      "command line: error: calibrate needs a CSV of measured runs; docs/calibration.md says what it "
      "holds\n");
  check_refused({"a.csv", "b.csv"}, "command line: error: calibrate takes one CSV, found 2\n");
  check_refused({"/nowhere/a.csv"},
                "/nowhere/a.csv: error: the file cannot be opened: No such file or directory\n");
}

TEST_CASE("what can be fitted is named, once, and with its like") {
  const auto refused = [](const std::string& list, const std::string& message) {
    check_refused({shipped, "--free", list}, "command line: error: --free: " + message + "\n");
  };
  refused("gem", "'gem' is no parameter that can be fitted; did you mean gemm?");
  refused("core.clock",
          "'core.clock' is no parameter that can be fitted; they are: reserved_fraction, gemm, attention, "
          "partial_sum_bytes, "
          "wafer_overlap, stream_overlap, layer_overhead, tile_overhead, expert_overhead, score_heads, "
          "score_tensors_forward, score_tensors_backward");
  refused("gemm,efficiency.gemm", "'gemm' is named twice");
  refused("gemm=gemm", "'gemm' is named twice");
  refused("score_heads,score_heads", "'score_heads' is named twice");
  refused("gemm=layer_overhead", "'gemm=layer_overhead' are of different kinds and cannot share one value");
  refused("score_heads=score_tensors_forward",
          "'score_heads=score_tensors_forward' decides memory only: it goes alone, in --free");
  check_refused({shipped, "--free", "gemm", "--separate", "gemm"},
                "command line: error: --free: 'gemm' is named twice\n");
  check_refused({shipped, "--separate", "reserved_fraction"},
                "command line: error: --separate: 'reserved_fraction' decides memory only: it goes alone, in "
                "--free\n");
}

TEST_CASE("runs without a throughput tell what stays resident") {
  const TemporaryFolder folder;
  const std::string file = folder.path("m.csv");
  write_file(file, "model,hardware,batch\nllama-2-7b,cerebras-cs2,99\n");
  const Run table = run({"calibrate", file, "--free", "score_heads"});
  CHECK(table.code == 0);
  CHECK(table.out.find("score_heads  6") != std::string::npos);
  CHECK(table.out.find("no row has a throughput to fit: only memory was fitted") != std::string::npos);
  CHECK(table.out.find("leave-one-out") == std::string::npos);
  CHECK(calibrated({file, "--free", "score_heads"}).at("left_out_error").is_null());
}

TEST_CASE("more values than rows are refused") {
  const TemporaryFolder folder;
  write_file(folder.path("m.csv"), three_rows);
  check_refused({folder.path("m.csv"), "--free", "gemm,layer_overhead,stream_overlap,tile_overhead"},
                folder.path("m.csv") +
                    ": error: 3 rows cannot determine 4 values; free fewer of them, or measure more runs\n");
}

TEST_CASE("a confidence is between one half and 0.99") {
  for (const std::string wrong : {"0.4", "1", "0", "-1", "2", "nan", "ninety"}) {
    CAPTURE(wrong);
    const Run result = run(calibrate({shipped, "--confidence=" + wrong}));
    CHECK(result.code == 2);
    CHECK(result.err.starts_with("command line: error: --confidence: '" + wrong + "' is "));
    CHECK(result.err.ends_with("; a number of at least 0.5 and at most 0.99 is needed\n"));
  }
}

TEST_CASE("a confidence may stand anywhere, with its value or without") {
  const Words with_value[] = {{"calibrate", "--confidence", "0.8", "-q", shipped},
                              {"calibrate", shipped, "-q", "--confidence=0.8"},
                              {"calibrate", "-q", shipped, "--confidence", "0.8"}};
  for (const Words& words : with_value)
    CHECK(run(words).out.find("intervals hold with probability 0.8\n") != std::string::npos);
  for (const Words& words : {Words{"calibrate", "--confidence", shipped, "-q"}, {"calibrate", shipped, "-q"}})
    CHECK(run(words).out.find("intervals hold with probability 0.9\n") != std::string::npos);
  CHECK(run({"calibrate", "--confidence", shipped, "--confidence", "0.8"}).code == 2);
}

TEST_CASE("a largest batch that no choice meets is told") {
  const TemporaryFolder folder;
  write_file(folder.path("m.csv"), "model,hardware,batch,largest_batch\nllama-2-7b,cs2,20,1000000\n");
  const Run table = run(calibrate({folder.path("m.csv"), "--free", "score_heads"}));
  CHECK(table.out.find("no choice of these values of memory lets every batch fit") != std::string::npos);
  CHECK(table.out.find("1,000,000") != std::string::npos);
}

TEST_CASE("blanks in a list of values do no harm") {
  CHECK(run(calibrate({shipped, "-q", "--free", "gemm, layer_overhead"})).code == 0);
}

TEST_CASE("the hardware to write is one of the rows'") {
  const TemporaryFolder folder;
  write_file(folder.path("m.csv"), three_rows);
  const std::string out = folder.path("w.yaml");
  check_refused({folder.path("m.csv"), "--hardware", "cerebras-cs3", "--write-hardware", out},
                "command line: error: --write-hardware: no row ran on 'cerebras-cs3'; the rows ran on "
                "cerebras-cs2\n");
  const Run unknown = run(calibrate({folder.path("m.csv"), "--hardware", "cerebras-cs4"}));
  CHECK(unknown.code == 2);
  CHECK(unknown.err.starts_with("error: --hardware: 'cerebras-cs4' is neither built in nor a file"));
  CHECK(folder.names() == Words{"m.csv"});
  CHECK(run(calibrate({folder.path("m.csv"), "--write-hardware", out, "-q"})).code == 0);
  CHECK(read_file(out).starts_with("name: cerebras-cs2\n"));
}

TEST_CASE("hardware of a file is calibrated under its own name, wherever the CSV lies") {
  const TemporaryFolder folder, other;
  std::string chip = read_file(BTA_SOURCE_DIR "/hardware/cerebras-cs2.yaml");
  chip.replace(chip.find("name: cerebras-cs2"), 18, "name: chip");
  write_file(folder.path("chip.yaml"), chip);
  std::string rows = three_rows;
  for (std::size_t at = rows.find("cs2"); at != std::string::npos; at = rows.find("cs2"))
    rows.replace(at, 3, "");
  write_file(other.path("m.csv"), rows);
  const Run result =
      run_process(calibrate({other.path("m.csv"), "--hardware", "chip.yaml", "--write-hardware", "w.yaml"}),
                  {.folder = folder.path("")});
  CHECK(result.code == 0);
  CHECK(result.err.empty());
  CHECK(read_file(folder.path("w.yaml")).starts_with("name: chip\n"));
}

TEST_CASE("files that a CSV names are looked for beside it") {
  const TemporaryFolder folder;
  std::string chip = read_file(BTA_SOURCE_DIR "/hardware/cerebras-cs2.yaml");
  chip.replace(chip.find("name: cerebras-cs2"), 18, "name: chip");
  write_file(folder.path("chip.yaml"), chip);
  std::string rows = three_rows;
  for (std::size_t at = rows.find("cs2"); at != std::string::npos; at = rows.find("cs2"))
    rows.replace(at, 3, "chip.yaml");
  write_file(folder.path("m.csv"), rows);
  CHECK(calibrated({folder.path("m.csv")}).at("rows").at(0).at("hardware") == "chip");
}

TEST_CASE("the report and the hardware do not go to one place") {
  const TemporaryFolder folder;
  const std::string file = folder.path("x");
  check_refused({shipped, "-o", file, "--write-hardware", file},
                "command line: error: --write-hardware: '" + file +
                    "' is where the report goes: give another file, or --output\n");
  check_refused({shipped, "-o", file, "--write-hardware", folder.path("./x")},
                "command line: error: --write-hardware: '" + folder.path("./x") +
                    "' is where the report goes: give another file, or --output\n");
  check_refused(
      {shipped, "--write-hardware", "-"},
      "command line: error: --write-hardware: stdout is where the report goes: give another file, or "
      "--output\n");
  check_refused(
      {shipped, "--write-hardware", "/nowhere/x"},
      "command line: error: --write-hardware: cannot write /nowhere/x: No such file or directory\n");
  CHECK(folder.names().empty());
  for (const std::string option : {"--output", "--write-hardware"}) {
    write_file(folder.path("m.csv"), three_rows);
    check_refused({folder.path("m.csv"), option, folder.path("./m.csv")},
                  "command line: error: " + option + ": '" + folder.path("./m.csv") +
                      "' holds the measured runs; give another file\n");
    CHECK(read_file(folder.path("m.csv")) == three_rows);
  }
  const Run both = run(calibrate({shipped, "-q", "-o", file, "--write-hardware", "-"}));
  CHECK(both.out.starts_with("name: cerebras-cs2\n"));
  CHECK(read_file(file).starts_with("calibration of 9 measured runs\n"));
}

TEST_CASE("runs that cannot be are calibrated with or refused, and what is written can be read") {
  const TemporaryFolder folder;
  const std::string head = "model,layers,hidden,heads,ffn,vocab,hardware,seq_len,batch,tokens_per_s\n";
  const std::string small = "s,1,1,1,1,0,cs2,1,", usual = "u,12,768,12,3072,1000,cs2,1024,";
  for (const std::string& rows : {usual + "8,1e-9\n" + usual + "9,1e-9\n" + usual + "90,1e-9\n",
                                  usual + "8,1e18\n" + usual + "9,1e-9\n" + small + "3,1\n",
                                  small + "1,1e5\n" + small + "2,1e5\n" + small + "3,1\n",
                                  usual + "8,1e5\n" + usual + "8,1e5\n" + usual + "8,1e5\n"}) {
    CAPTURE(rows);
    write_file(folder.path("m.csv"), head + rows);
    const std::string wafer = folder.path("w.yaml");
    for (const std::string free : {"gemm", "gemm,layer_overhead", "stream_overlap,partial_sum_bytes"}) {
      CHECK(run(calibrate({folder.path("m.csv"), "--free", free, "--write-hardware", wafer, "-q"})).code ==
            0);
      CHECK(run({"show", wafer, "-q"}).code == 0);
    }
  }
  write_file(folder.path("m.csv"), head + usual + "1099511627776,1\n" + usual + "1,1\n" + usual + "1,1\n");
  check_refused({folder.path("m.csv")},
                "bta-plan: error: the workload is too large to count exactly in 64 bits\n");
}

TEST_CASE("plan --confidence is 0.9 without a value") {
  const auto rows = [](const Words& more) {
    Words words = {"plan", "--experts", "16", "--format", "json", "-q"};
    words.insert(words.end(), more.begin(), more.end());
    return json::parse(run(words).out).at("rows");
  };
  CHECK(rows({"--confidence"}) == rows({"--confidence", "0.9"}));
  const json row = rows({"--confidence"}).at(0);
  CHECK(row.at("confidence") == 0.9);
  CHECK(row.at("tokens_per_s_low") < row.at("tokens_per_s"));
  CHECK(row.at("tokens_per_s") < row.at("tokens_per_s_high"));
}

TEST_CASE("plan --confidence needs hardware with a calibration") {
  const Run result = run({"plan", "--confidence", "--hardware", BTA_TEST_DATA "/hardware/one-core.yaml"});
  CHECK(result.code == 2);
  CHECK(result.out.empty());
  CHECK(result.err ==
        "command line: error: --confidence: one-core has no record of a calibration, so nothing is known of "
        "how "
        "sure its numbers are; 'bta-plan calibrate' writes one\n");
}

TEST_SUITE_END();

}  // namespace
