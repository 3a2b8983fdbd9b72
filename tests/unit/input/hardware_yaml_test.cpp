#include "input/hardware_yaml.h"

#include "unit/input/input_support.h"

namespace {

using namespace bta::test;

std::string one_core() {
  return text_of(BTA_TEST_DATA "/hardware/one-core.yaml");
}

std::string problems_with(const std::string& text, const std::string& replacement) {
  return problems(wafer_from_yaml(with(one_core(), text, replacement)));
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("every key of a wafer reaches its field in base units") {
  const auto loaded = bta::load_wafer("cerebras-cs2", {});
  REQUIRE_MESSAGE(loaded.has_value(), problems(loaded));
  const bta::Wafer& wafer = loaded.value();
  CHECK(wafer.name == "cerebras-cs2");
  CHECK(wafer.rows == 994);
  CHECK(wafer.columns == 750);
  CHECK(wafer.sram_per_core.value == 49152);
  CHECK(wafer.reserved_fraction == 0.02);
  CHECK(wafer.clock_hz == 1.1e9);
  CHECK(wafer.vector_width.fp16 == 4);
  CHECK(wafer.vector_width.bf16 == 4);
  CHECK_FALSE(wafer.vector_width.fp32.has_value());
  CHECK(wafer.sram_read_bytes_per_cycle == 16);
  CHECK(wafer.sram_write_bytes_per_cycle == 8);
  CHECK(wafer.link_bytes_per_cycle == 4);
  CHECK(wafer.stream_in_bytes_per_s == 150e9);
  CHECK(wafer.stream_out_bytes_per_s == 150e9);
  CHECK(wafer.wafers == 1);
  CHECK(wafer.dense_peak_flops_per_s == 7.5e15);
  CHECK(wafer.gemm_efficiency == 0.5003);
  CHECK(wafer.attention_efficiency == 0.5003);
  CHECK(wafer.partial_sum_bytes == 2);
  CHECK(wafer.wafer_overlap == 1);
  CHECK(wafer.stream_overlap == 0.25);
  CHECK(wafer.layer_overhead_s == 1.842e-3);
  CHECK(wafer.tile_overhead_s == 0);
  CHECK(wafer.expert_overhead_s == 0);
  CHECK_FALSE(wafer.score_heads.has_value());
  CHECK(wafer.score_tensors_forward == 2);
  CHECK(wafer.score_tensors_backward == 3);
  CHECK(wafer.attention_block_rows == 128);
}

TEST_CASE("the memory limit is the unreserved part of the SRAM, rounded down") {
  CHECK(memory_limit(bta::load_wafer("cerebras-cs2", {}).value()).value == 35'909'959'680);
  CHECK(memory_limit(wafer_from_yaml(one_core()).value()).value == 44'000'000'000);
}

TEST_CASE("44GB and 44GiB differ: 45,000,000,000 bytes fit only the second") {
  const auto gib = wafer_from_yaml(one_core(), {{"core.sram", "44GiB"}});
  CHECK(memory_limit(gib.value()).value == 47'244'640'256);
  CHECK(problems_with("sram: 44GB", "sram: 44G") ==
        "w.yaml:8:9: error: core.sram: '44G' ends in a bare letter, which could mean powers of 1000 or of "
        "1024; write "
        "GB (1e9 bytes) or GiB (2^30 bytes) and the like\n");
  CHECK(problems_with("sram: 44GB", "sram: 44Gb") ==
        "w.yaml:8:9: error: core.sram: '44Gb' counts bits, which are not bytes; divide by 8 and write B for "
        "bytes\n");
}

TEST_CASE("scores are held for all heads or for a number of them") {
  CHECK(wafer_from_yaml(with(one_core(), "score_heads: all", "score_heads: 4")).value().score_heads == 4);
  CHECK(problems_with("score_heads: all", "score_heads: many") ==
        "w.yaml:27:33: error: attention_kernel.score_heads: 'many' is not a number; a whole number from 1 to "
        "4096 is "
        "needed, or 'all'\n");
  CHECK(
      problems_with("score_heads: all", "score_heads: 0") ==
      "w.yaml:27:33: error: attention_kernel.score_heads: '0' is too small; a whole number from 1 to 4096 is "
      "needed, or 'all'\n");
}

TEST_CASE("a chip without bandwidth, clock or efficiency is refused") {
  CHECK(problems_with("stream_in: 1TB/s", "stream_in: 0B/s") ==
        "w.yaml:15:24: error: off_wafer.stream_in: '0B/s' is out of range; at least 1 B/s and at most 1e+24 "
        "B/s "
        "is "
        "allowed\n");
  CHECK(problems_with("clock: 50THz", "clock: 0Hz") ==
        "w.yaml:10:10: error: core.clock: '0Hz' is out of range; at least 1 Hz and at most 1e+24 Hz is "
        "allowed\n");
  CHECK(problems_with("gemm: 1", "gemm: 0") ==
        "w.yaml:19:9: error: efficiency.gemm: '0' is out of range; a number of at least 0.0001 and at most 1 "
        "is needed\n");
  CHECK(problems_with("reserved_fraction: 0", "reserved_fraction: 1") ==
        "w.yaml:9:22: error: core.reserved_fraction: '1' is out of range; a number of at least 0 and below 1 "
        "is "
        "needed\n");
}

TEST_CASE("nested keys are reported with their path") {
  CHECK(problems_with("rows: 1,", "row: 1,") ==
        "w.yaml:6:7: error: grid.rows: the required key 'rows' is missing\n"
        "w.yaml:6:8: error: grid.row: unknown key 'row'; did you mean 'rows'?\n");
  CHECK(problems_with("{rows: 1, columns: 1}", "5") ==
        "w.yaml:6:7: error: grid: '5' stands where a map of keys is needed\n");
  CHECK(problems_with("grid: {rows: 1, columns: 1}\n", "") ==
        "w.yaml:3:1: error: grid: the required key 'grid' is missing\n");
  CHECK(problems_with("fp16: 1, ", "") ==
        "w.yaml:11:28: error: core.multiply_adds_per_cycle.fp16: the required key 'fp16' is missing\n");
}

TEST_CASE("a grid with more SRAM than can be counted is refused") {
  CHECK(problems(wafer_from_yaml(one_core(), {{"grid.rows", "1048576"}, {"grid.columns", "1048576"}})) ==
        "w.yaml:8:9: error: core.sram: the SRAM of 1048576 x 1048576 cores exceeds 2^43 bytes (8.8 TB); the "
        "value is that of one core\n");
}

TEST_CASE("hardware in JSON is refused by what it is") {
  CHECK(problems(bta::read_wafer({"h.json", "{}", true, "h"}, {})) ==
        "h.json: error: hardware is described in YAML, not in JSON\n");
}

TEST_SUITE_END();

}  // namespace
