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

/// Dimensions of DeepSeek-V3: latent attention, 3 dense layers, a shared expert.
inline Model deepseek_v3() {
  Model model;
  model.name = "deepseek-v3";
  model.hidden = 7168;
  model.vocabulary = 129280;
  const LatentAttention attention{.heads = 128,
                                  .q_rank = 1536,
                                  .kv_rank = 512,
                                  .nope_head_dim = 128,
                                  .rope_head_dim = 64,
                                  .v_head_dim = 128};
  const MoeMlp moe{.experts = 256, .top_k = 8, .width = 2048, .shared_width = 2048, .selection_bias = true};
  model.layers.assign(3, {attention, DenseMlp{.width = 18432}});
  model.layers.resize(61, {attention, moe});
  return model;
}

/// Dimensions of GPT-OSS-120B: every other layer in a window, sinks, biases everywhere.
inline Model gpt_oss_120b() {
  Model model;
  model.name = "gpt-oss-120b";
  model.hidden = 2880;
  model.vocabulary = 201088;
  GroupedQueryAttention attention{.heads = 64, .kv_heads = 8, .qk_head_dim = 64, .v_head_dim = 64};
  attention.qkv_bias = attention.output_bias = attention.sinks = true;
  const MoeMlp moe{.experts = 128, .top_k = 4, .width = 2880, .router_bias = true, .expert_bias = true};
  for (int layer = 0; layer < 36; ++layer) {
    attention.window = layer % 2 == 0 ? std::optional(Window{128}) : std::nullopt;
    model.layers.push_back({attention, moe});
  }
  return model;
}

/// Dimensions of GPT-2: LayerNorms and biases, learned positions, tied.
inline Model gpt2() {
  Model model;
  model.name = "gpt2";
  model.hidden = 768;
  model.vocabulary = 50257;
  model.tied_embeddings = model.norm_bias = true;
  model.positions = 1024;
  GroupedQueryAttention attention{.heads = 12, .kv_heads = 12, .qk_head_dim = 64, .v_head_dim = 64};
  attention.qkv_bias = attention.output_bias = true;
  attention.rotary_dim = 0;
  Layer layer{attention, DenseMlp{.width = 3072, .gated = false, .bias = true}};
  layer.norm_bias = true;
  model.layers.assign(12, layer);
  return model;
}

/// Dimensions of GPT-J-6B: attention and MLP in parallel, a bias on the head.
inline Model gpt_j() {
  Model model;
  model.name = "gpt-j";
  model.hidden = 4096;
  model.vocabulary = 50400;
  model.norm_bias = model.head_bias = true;
  GroupedQueryAttention attention{.heads = 16, .kv_heads = 16, .qk_head_dim = 256, .v_head_dim = 256};
  attention.rotary_dim = 64;
  Layer layer{attention, DenseMlp{.width = 16384, .gated = false, .bias = true}};
  layer.norm_bias = layer.parallel = true;
  model.layers.assign(28, layer);
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
