#include "input/measured_csv.h"

#include "unit/input/input_support.h"

namespace {

using bta::load_measured;
using bta::MeasuredRun;
using bta::test::Folder;

bta::Result<bta::MeasuredRuns> load(const Folder& folder, const std::string& text) {
  return load_measured(folder.file("m.csv", text), "cerebras-cs3", {}, {});
}

std::vector<MeasuredRun> runs(const std::string& text) {
  const Folder folder;
  const auto loaded = load(folder, text);
  REQUIRE_MESSAGE(loaded.has_value(), bta::test::problems(loaded));
  return loaded.value().runs;
}

/// The messages, the folder left out.
std::string problems(const std::string& text) {
  const Folder folder;
  std::string lines = bta::test::problems(load(folder, text));
  const std::string place = folder.path.string() + "/";
  for (std::size_t at = lines.find(place); at != std::string::npos; at = lines.find(place))
    lines.erase(at, place.size());
  return lines;
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("every column of a measured run reaches its field") {
  const MeasuredRun run = runs(
      "name,model,layers,hidden,heads,kv_heads,head_dim,ffn,ffn_matrices,vocab,hardware,batch,micro_batch,"
      "tiles,wafers,seq_len,tokens_per_s,largest_batch,use,source,caveat,date,software,kind,note\n"
      "a run,mine,4,512,8,2,64,2048,2,1000,cerebras-cs2,64,16,4,2,1024,5e5,20,report,log,careful,2024,2.0,"
      "public,none\n")[0];
  CHECK(run.name == "a run");
  CHECK(run.model.name == "mine");
  CHECK(run.model.layers.size() == 4);
  CHECK(run.model.hidden == 512);
  CHECK(run.model.vocabulary == 1000);
  const auto& attention = bta::test::attention_of(run.model);
  CHECK(attention.heads == 8);
  CHECK(attention.kv_heads == 2);
  CHECK(attention.qk_head_dim == 64);
  CHECK(bta::test::dense_at(run.model).width == 2048);
  CHECK_FALSE(bta::test::dense_at(run.model).gated);
  CHECK(run.wafer.name == "cerebras-cs2");
  CHECK(run.wafers == 2);
  CHECK(run.micro_batch == 16);
  CHECK(run.tiles == 4);
  CHECK(run.seq_len == 1024);
  CHECK(run.tokens_per_s == 5e5);
  CHECK(run.largest_batch == 20);
  CHECK_FALSE(run.fitted);
  CHECK(run.source == "log");
}

TEST_CASE("what a measured run need not say has its defaults") {
  const MeasuredRun run = runs("model,batch\nqwen3-30b-a3b,64\n")[0];
  CHECK(run.name == "qwen3-30b-a3b on cerebras-cs3");
  CHECK(run.wafer.name == "cerebras-cs3");
  CHECK(run.micro_batch == 64);
  CHECK(run.tiles == 1);
  CHECK(run.wafers == 1);
  CHECK(run.fitted);
  CHECK_FALSE(run.seq_len.has_value());
  CHECK_FALSE(run.tokens_per_s.has_value());
  CHECK_FALSE(run.samples_per_s.has_value());
  CHECK_FALSE(run.largest_batch.has_value());
}

TEST_CASE("a built-in hardware goes by its short name, in either column") {
  CHECK(runs("model,batch,system\nqwen3-8b,1,CS-2\n")[0].wafer.name == "cerebras-cs2");
  CHECK(runs("model,batch,hardware\nqwen3-8b,1,cs3\n")[0].wafer.name == "cerebras-cs3");
  CHECK(problems("model,batch,hardware,system\nqwen3-8b,1,cs3,cs3\n") ==
        "m.csv:2:16: error: system: goes without 'hardware'\n");
}

TEST_CASE("the batch of all wafers is shared among them, rounded up") {
  CHECK(runs("model,batch,wafers\nqwen3-8b,130,2\n")[0].micro_batch == 65);
  CHECK(runs("model,batch,wafers\nqwen3-8b,7,2\n")[0].micro_batch == 4);
  CHECK(runs("model,batch,wafers,micro_batch\nqwen3-8b,130,2,13\n")[0].micro_batch == 13);
  CHECK(runs("model,micro_batch\nqwen3-8b,13\n")[0].micro_batch == 13);
  CHECK(problems("model,batch,wafers,micro_batch\nqwen3-8b,130,2,66\n") ==
        "m.csv:2:16: error: micro_batch: 66 sequences at once exceed the 65 that the batch gives a wafer\n");
  CHECK(problems("model,wafers\nqwen3-8b,2\n") ==
        "m.csv:2:1: error: batch: the required key 'batch' is missing\n");
}

TEST_CASE("tiles divide the micro-batch") {
  CHECK(problems("model,batch,tiles\nqwen3-8b,10,4\n") ==
        "m.csv:2:13: error: tiles: the micro-batch of 10 sequences is not 4 equal tiles\n");
}

TEST_CASE("the largest batch is no smaller than a uniform one that ran") {
  CHECK(problems("model,batch,largest_batch\nqwen3-8b,10,9\n") ==
        "m.csv:2:13: error: largest_batch: 10 sequences ran at once, so the largest batch is no less\n");
  CHECK(runs("model,batch,tiles,largest_batch\nqwen3-8b,10,5,9\n")[0].largest_batch == 9);
}

TEST_CASE("throughput is tokens, tokens per wafer or samples, and several must agree") {
  CHECK(*runs("model,batch,wafers,tokens_per_s_per_wafer\nqwen3-8b,8,2,1000\n")[0].tokens_per_s == 2000);
  CHECK(*runs("model,batch,seq_len,samples_per_s\nqwen3-8b,8,100,3\n")[0].tokens_per_s == 300);
  const MeasuredRun samples = runs("model,batch,samples_per_s\nqwen3-8b,8,3\n")[0];
  CHECK_FALSE(samples.tokens_per_s.has_value());
  CHECK(*samples.samples_per_s == 3);
  const std::string all = "model,batch,seq_len,samples_per_s,tokens_per_s,tokens_per_s_per_wafer\n";
  CHECK(*runs(all + "qwen3-8b,8,100,3,301,299\n")[0].tokens_per_s == 301);
  CHECK(problems(all + "qwen3-8b,8,100,3,310,310\n") ==
        "m.csv:2:16: error: samples_per_s: means 300 tokens/s, but another column of the row says 310\n");
  CHECK(problems("model,batch,seq_len,samples_per_s,tokens_per_s_per_wafer\nqwen3-8b,8,100,3,310\n") ==
        "m.csv:2:16: error: samples_per_s: means 300 tokens/s, but another column of the row says 310\n");
}

TEST_CASE("a model by dimensions may have experts, or no vocabulary") {
  const auto moe =
      runs("model,layers,hidden,heads,experts,top_k,expert_width,vocab,batch\nm,2,64,4,8,2,32,0,1\n")[0];
  CHECK(bta::test::moe_at(moe.model).experts == 8);
  CHECK(bta::test::moe_at(moe.model).top_k == 2);
  CHECK(bta::test::moe_at(moe.model).width == 32);
  CHECK(bta::test::moe_at(moe.model).gated);
  CHECK(moe.model.vocabulary == 0);
}

TEST_CASE("the experts of a built-in model can be others") {
  const auto run = runs("model,batch,experts,top_k,expert_width\nqwen3-30b-a3b,8,64,4,1536\n")[0];
  CHECK(bta::test::moe_at(run.model).experts == 64);
  CHECK(bta::test::moe_at(run.model).top_k == 4);
  CHECK(bta::test::moe_at(run.model).width == 1536);
  const auto all = runs("model,batch,experts\nqwen3-30b-a3b,8,8\n")[0];
  CHECK(bta::test::dense_at(all.model).width == 8 * 768);
  CHECK(problems("model,batch,top_k\nqwen3-30b-a3b,8,129\n") ==
        "m.csv:2:17: error: top_k: top_k 129 exceeds the 128 experts\n");
  CHECK(problems("model,batch,expert_width\nqwen3-8b,8,64\n") ==
        "m.csv:2:12: error: expert_width: the model is dense\n");
}

TEST_CASE("cells of a measured run that would be ignored are refused") {
  CHECK(problems("model,batch,ffn,vocab\nqwen3-8b,8,64,0\n") ==
        "m.csv:2:12: error: ffn: goes with 'layers' and 'hidden'\n"
        "m.csv:2:15: error: vocab: goes with 'layers' and 'hidden'\n");
  CHECK(problems("model,layers,hidden,heads,ffn,vocab,batch,top_k\nm,2,64,4,128,0,1,2\n") ==
        "m.csv:2:18: error: top_k: goes with 'experts'\n");
  CHECK(problems("model,layers,hidden,heads,ffn,vocab,batch,experts,top_k,expert_width\nm,2,64,4,128,0,1,8,2,"
                 "32\n") ==
        "m.csv:2:10: error: ffn: goes without 'experts', whose width is 'expert_width'\n");
}

TEST_CASE("dimensions of a measured model are all needed") {
  CHECK(problems("model,layers,batch\nm,2,1\n") ==
        "m.csv:2:1: error: hidden: the required key 'hidden' is missing\n"
        "m.csv:2:1: error: heads: the required key 'heads' is missing\n"
        "m.csv:2:1: error: ffn: the required key 'ffn' is missing\n"
        "m.csv:2:1: error: vocab: the required key 'vocab' is missing\n");
}

TEST_CASE("columns of measured runs are known ones") {
  CHECK(problems("model,batch,token_per_s\nqwen3-8b,8,64\n") ==
        "m.csv:1:13: error: token_per_s: unknown key 'token_per_s'; did you mean 'tokens_per_s'?\n");
  CHECK(problems("batch\n8\n") == "m.csv:2:1: error: model: the required key 'model' is missing\n");
}

TEST_CASE("numbers of measured runs are told where they are wrong") {
  CHECK(problems("model,batch,tokens_per_s\nqwen3-8b,x,64\nqwen3-8b,8,-1\nqwen3-8b,0,1\n") ==
        "m.csv:2:10: error: batch: 'x' is not a number; a whole number from 1 to 1099511627776 is needed\n"
        "m.csv:3:12: error: tokens_per_s: '-1' is out of range; a number of at least 1e-09 and at most 1e+18 "
        "is "
        "needed\n"
        "m.csv:4:10: error: batch: '0' is too small; a whole number from 1 to 1099511627776 is needed\n");
  CHECK(problems("model,batch,use\nqwen3-8b,8,fitted\n") ==
        "m.csv:2:12: error: use: 'fitted' is not one of fit, report\n");
}

TEST_CASE("files that a CSV names are looked for beside it") {
  const Folder folder;
  folder.file("chip.yaml", bta::test::with(bta::test::text_of(BTA_TEST_DATA "/hardware/one-core.yaml"),
                                           "name: one-core", "name: beside"));
  folder.file("tiny.yaml", bta::test::tiny_model);
  const auto loaded = load(folder, "model,hardware,batch\ntiny.yaml,chip.yaml,1\n");
  REQUIRE_MESSAGE(loaded.has_value(), bta::test::problems(loaded));
  CHECK(loaded.value().runs[0].wafer.name == "beside");
  CHECK(loaded.value().runs[0].model.name == "tiny");
  folder.file("chip.yaml", "name: [");
  CHECK_FALSE(load(folder, "model,hardware,batch\ntiny.yaml,chip.yaml,1\n").has_value());
}

TEST_CASE("descriptions that a CSV names and nobody has are told at their cell") {
  CHECK(problems("model,batch\nqwen3-4c,8\n").starts_with("m.csv:2:1: error: model: "));
  CHECK(problems("model,batch,hardware\nqwen3-8b,8,cs9\n").starts_with("m.csv:2:12: error: hardware: "));
}

TEST_CASE("a table of measured runs has rows") {
  CHECK(problems("") ==
        "m.csv:1:1: error: there is nothing in this file; its first row must name the columns\n");
  CHECK(problems("model,batch\n") ==
        "m.csv: error: there is no row below the header; a measured run is needed\n");
}

TEST_CASE("a thousand measured runs are read and no more") {
  std::string text = "model,batch\n";
  for (int row = 0; row < 1000; ++row) text += "qwen3-8b,1\n";
  CHECK(runs(text).size() == 1000);
  CHECK(problems(text + "qwen3-8b,1\n") ==
        "m.csv:1002: error: 1001 rows; at most 1000 can be calibrated with\n");
}

TEST_CASE("runs of one name are told apart by their lines") {
  const auto two = runs("model,batch,software\n# x\nqwen3-8b,8,2.0\nqwen3-8b,9,2.0\nqwen3-8b,9,2.1\n");
  CHECK(two[0].name == "qwen3-8b on cerebras-cs3 2.0, line 3");
  CHECK(two[1].name == "qwen3-8b on cerebras-cs3 2.0, line 4");
  CHECK(two[2].name == "qwen3-8b on cerebras-cs3 2.1");
}

TEST_CASE("samples beside tokens need a length to be compared") {
  CHECK(problems("model,batch,hardware,tokens_per_s,samples_per_s\nqwen3-8b,8,cs2,36000,99999\n") ==
        "m.csv:2:22: error: samples_per_s: stands beside tokens, so seq_len is needed to compare the two\n");
}

TEST_CASE("overrides reach every model and hardware of measured runs") {
  const Folder folder;
  const auto loaded =
      load_measured(folder.file("m.csv", "model,batch,hardware\nqwen3-8b,8,cs2\nqwen3-8b,8,cs3\n"),
                    "cerebras-cs2", {{"num_layers", "2"}}, {{"efficiency.gemm", "0.25"}});
  REQUIRE_MESSAGE(loaded.has_value(), bta::test::problems(loaded));
  for (const MeasuredRun& run : loaded.value().runs) {
    CHECK(run.model.layers.size() == 2);
    CHECK(run.wafer.gemm_efficiency == 0.25);
  }
}

TEST_SUITE_END();

}  // namespace
