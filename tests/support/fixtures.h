// Models and wafers that tests share, built in code so that the tests of inner rooms need no file.
#pragma once

#include "cost/problem.h"
#include "hardware/wafer.h"
#include "model/model.h"

namespace bta::fixtures {

/// Small MoE whose every number can be checked by hand: 2 layers, 8 experts, top_k 2.
inline Model t1() {
  Model model;
  model.name = "t1";
  model.hidden = 64;
  model.vocabulary = 100;
  const GroupedQueryAttention attention{.heads = 4, .kv_heads = 2, .qk_head_dim = 16, .v_head_dim = 16};
  model.layers.assign(2, {attention, MoeMlp{.experts = 8, .top_k = 2, .width = 32}});
  return model;
}

/// Dimensions of Qwen3-30B-A3B.
inline Model qwen3_30b_a3b(std::int64_t experts = 128, std::int64_t top_k = 8, std::int64_t width = 768) {
  Model model;
  model.name = "qwen3-30b-a3b";
  model.hidden = 2048;
  model.vocabulary = 151936;
  const GroupedQueryAttention attention{
      .heads = 32, .kv_heads = 4, .qk_head_dim = 128, .v_head_dim = 128, .qk_norm = QkNorm::per_head};
  model.layers.assign(48, {attention, MoeMlp{.experts = experts, .top_k = top_k, .width = width}});
  return model;
}

/// Dimensions of Qwen3-4B, tied.
inline Model qwen3_4b() {
  Model model;
  model.name = "qwen3-4b";
  model.hidden = 2560;
  model.vocabulary = 151936;
  model.tied_embeddings = true;
  const GroupedQueryAttention attention{
      .heads = 32, .kv_heads = 8, .qk_head_dim = 128, .v_head_dim = 128, .qk_norm = QkNorm::per_head};
  model.layers.assign(36, {attention, DenseMlp{.width = 9728}});
  return model;
}

/// Dimensions of Mixtral-8x7B.
inline Model mixtral() {
  Model model;
  model.name = "mixtral";
  model.hidden = 4096;
  model.vocabulary = 32000;
  const GroupedQueryAttention attention{.heads = 32, .kv_heads = 8, .qk_head_dim = 128, .v_head_dim = 128};
  model.layers.assign(32, {attention, MoeMlp{.experts = 8, .top_k = 2, .width = 14336}});
  return model;
}

/// A CS-2 with the default efficiency parameters.
inline Wafer cs2() {
  Wafer wafer;
  wafer.name = "cs2";
  wafer.rows = 994;
  wafer.columns = 750;
  wafer.sram_per_core = 48_KiB;
  wafer.reserved_fraction = 0.02;
  wafer.clock_hz = 1.1e9;
  wafer.vector_width.fp16 = 4;
  wafer.sram_read_bytes_per_cycle = 16;
  wafer.sram_write_bytes_per_cycle = 8;
  wafer.link_bytes_per_cycle = 4;
  wafer.stream_in_bytes_per_s = 150e9;
  wafer.stream_out_bytes_per_s = 150e9;
  wafer.dense_peak_flops_per_s = 7.5e15;
  wafer.gemm_efficiency = 0.45;
  wafer.attention_efficiency = 0.3;
  wafer.partial_sum_bytes = 3;
  wafer.stream_overlap = 0.5;
  wafer.layer_overhead_s = 1.5e-3;
  return wafer;
}

/// One core of 100 TFLOP/s behind a stream of 1 TB/s: only compute and the stream ever bind.
inline Wafer one_core() {
  Wafer wafer;
  wafer.name = "one-core";
  wafer.rows = wafer.columns = 1;
  wafer.sram_per_core = Bytes(1'000'000'000'000);
  wafer.clock_hz = 5e13;
  wafer.vector_width.fp16 = 1;
  wafer.sram_read_bytes_per_cycle = wafer.sram_write_bytes_per_cycle = 1e9;
  wafer.link_bytes_per_cycle = 1e9;
  wafer.stream_in_bytes_per_s = wafer.stream_out_bytes_per_s = 1e12;
  wafer.dense_peak_flops_per_s = 100e12;
  return wafer;
}

}  // namespace bta::fixtures
