// Small random problems whose whole feasible set can be tried. The same seed gives the same problem
// everywhere.
#pragma once

#include <array>

#include "base/random.h"
#include "plan/search.h"
#include "support/fixtures.h"

namespace bta::fixtures {

class RandomProblem {
 public:
  explicit RandomProblem(std::uint64_t seed) : random_(seed) {}

  Problem problem() { return make_problem(model(), wafer(), workload()); }

  Constraints constraints() {
    Constraints constraints;
    if (random_.one_in(4)) constraints.max_tile = between(1, 12);
    if (random_.one_in(4)) constraints.max_micro_batch = between(1, 40);
    if (random_.one_in(4)) constraints.global_batch = between(2, 200);
    return constraints;
  }

  std::int64_t between(std::int64_t low, std::int64_t high) { return random_.between(low, high); }

 private:
  Model model() {
    Model model;
    model.name = "random";
    model.hidden = between(1, 12) * 8;
    model.vocabulary = between(1, 500);
    model.tied_embeddings = random_.one_in(2);
    const std::int64_t kv = between(1, 3);
    const GroupedQueryAttention attention{.heads = kv * between(1, 4),
                                          .kv_heads = kv,
                                          .qk_head_dim = 2 * between(1, 16),
                                          .v_head_dim = between(1, 32),
                                          .qk_norm = random_.one_in(2) ? QkNorm::per_head : QkNorm::none,
                                          .window = window()};
    const std::int64_t layers = between(1, 3);
    for (std::int64_t i = 0; i < layers; ++i) model.layers.push_back({attention, feed_forward()});
    return model;
  }

  std::optional<Window> window() {
    if (!random_.one_in(3)) return std::nullopt;
    return Window{between(1, 120), random_.one_in(2)};  // of sequences of at most 96
  }

  FeedForward feed_forward() {
    if (random_.one_in(4)) return DenseMlp{.width = between(1, 200), .gated = random_.one_in(2)};
    const std::int64_t experts = between(1, 20);
    return MoeMlp{.experts = experts,
                  .top_k = between(1, experts),
                  .width = between(1, 100),
                  .gated = !random_.one_in(3),
                  .shared_width = random_.one_in(3) ? between(1, 60) : 0,
                  .shared_gate = random_.one_in(2)};
  }

  Wafer wafer() {
    Wafer wafer = cs2();
    wafer.rows = between(1, 40);
    wafer.columns = between(1, 40);
    wafer.vector_width.fp16 = between(1, 6);
    wafer.gemm_efficiency = 0.1 * as_double(between(1, 10));
    wafer.attention_efficiency = 0.1 * as_double(between(1, 10));
    wafer.partial_sum_bytes = as_double(between(1, 4));
    wafer.wafer_overlap = 0.5 * as_double(between(0, 2));
    wafer.stream_overlap = 0.25 * as_double(between(0, 4));
    wafer.stream_in_bytes_per_s = random_.pick(std::array{1e7, 1e8, 1e9, 1e11, 1e13});
    wafer.stream_out_bytes_per_s = random_.pick(std::array{1e7, 1e8, 1e9, 1e11, 1e13});
    wafer.layer_overhead_s = random_.pick(std::array{0.0, 1e-5, 1e-3});
    wafer.tile_overhead_s = random_.pick(std::array{0.0, 1e-6, 1e-4});
    wafer.expert_overhead_s = random_.pick(std::array{0.0, 1e-6});
    if (random_.one_in(3)) wafer.score_heads = between(1, 3);
    wafer.score_tensors_forward = between(1, 3);
    wafer.score_tensors_backward = between(1, 4);
    wafer.attention_block_rows = between(1, 40);
    wafer.reserved_fraction = 0;
    wafer.sram_per_core = Bytes(between(1'000, 3'000'000) / (wafer.rows * wafer.columns) + 1);
    return wafer;
  }

  Workload workload() {
    Workload workload;
    workload.seq_len = between(1, 96);
    workload.mask = random_.pick(std::array{Mask::full, Mask::causal});
    workload.kernel = random_.pick(std::array{AttentionKernel::materialized, AttentionKernel::blocked});
    workload.checkpoint = random_.pick(std::array{Checkpoint::XY, Checkpoint::X, Checkpoint::wafer});
    workload.placement = random_.pick(std::array{Placement::masked, Placement::compacted});
    if (random_.one_in(4)) workload.routing = ZipfRouting{0.5 * as_double(between(1, 4))};
    if (random_.one_in(3)) workload.head_chunk = between(1, 300);
    workload.wafers = between(1, 3);
    return workload;
  }

  Random random_;
};

}  // namespace bta::fixtures
