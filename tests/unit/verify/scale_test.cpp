// The small model has everything that the full one has.
#include "verify/scale.h"

#include <doctest/doctest.h>

#include "support/approx.h"
#include "support/fixtures.h"

namespace {

using namespace bta;
using namespace bta::verify;

TEST_SUITE_BEGIN("verify");

TEST_CASE("Qwen3-30B-A3B scaled: grouped heads, per-head norm, more experts than chosen, two layers") {
  const Model model = scaled_model(fixtures::qwen3_30b_a3b());
  REQUIRE(model.layers.size() == 2);
  const auto& attention = std::get<GroupedQueryAttention>(model.layers[0].attention);
  CHECK(attention.heads == 4);
  CHECK(attention.kv_heads == 2);
  CHECK(attention.qk_norm == QkNorm::per_head);
  const auto& moe = std::get<MoeMlp>(model.layers[0].feed_forward);
  CHECK(moe.experts == 12);
  CHECK(moe.top_k == 3);
}

TEST_CASE(
    "what a model has stays: shared experts and gates, biases, windows, ties, dense layers in between, k = "
    "E") {
  Model model = fixtures::qwen3_30b_a3b(64, 64);
  model.tied_embeddings = true;
  auto& attention = std::get<GroupedQueryAttention>(model.layers[3].attention);
  attention.window = Window{1000};
  attention.qkv_bias = attention.output_bias = true;
  attention.v_head_dim = 64;
  model.layers[3].feed_forward =
      MoeMlp{.experts = 64, .top_k = 8, .width = 9, .gated = false, .shared_width = 99, .shared_gate = true};
  model.layers[7].feed_forward = DenseMlp{.width = 1000, .gated = false, .bias = true};
  const Model small = scaled_model(model);
  REQUIRE(small.layers.size() == 3);
  CHECK(small.tied_embeddings);
  const auto& all = std::get<MoeMlp>(small.layers[0].feed_forward);
  CHECK(all.top_k == all.experts);
  const auto& scaled = std::get<GroupedQueryAttention>(small.layers[1].attention);
  CHECK(scaled.window->keys < 8);
  CHECK(scaled.qkv_bias);
  CHECK(scaled.v_head_dim != scaled.qk_head_dim);
  const auto& moe = std::get<MoeMlp>(small.layers[1].feed_forward);
  CHECK(moe.shared_width > 0);
  CHECK(moe.shared_gate);
  CHECK_FALSE(moe.gated);
  CHECK(std::get<DenseMlp>(small.layers[2].feed_forward).bias);
}

TEST_CASE("latent attention, chunks, sinks, biases, LayerNorms and parallel layers stay") {
  Model model = fixtures::deepseek_v3();
  model.norm_bias = model.head_bias = true;
  Layer& layer = model.layers[5];
  GroupedQueryAttention attention{.heads = 40, .kv_heads = 8, .qk_head_dim = 128, .v_head_dim = 128};
  attention.window = Window{8192, true};
  attention.sinks = true;
  attention.rotary_dim = 64;
  attention.qk_norm = QkNorm::unit;
  layer.attention = attention;
  layer.norm_bias = layer.parallel = true;
  const Model small = scaled_model(model);
  REQUIRE(small.layers.size() == 3);
  CHECK(small.norm_bias);
  CHECK(small.head_bias);
  const auto& latent = std::get<LatentAttention>(small.layers[0].attention);
  CHECK(latent.q_rank > 0);
  CHECK(latent.q_rank != latent.kv_rank);
  CHECK(latent.nope_head_dim != latent.rope_head_dim);
  CHECK(latent.v_head_dim != latent.qk_head_dim());
  const auto& grouped = std::get<GroupedQueryAttention>(small.layers[2].attention);
  CHECK(grouped.window == Window{5, true});
  CHECK(grouped.sinks);
  CHECK(grouped.rotated() < grouped.qk_head_dim);
  CHECK(grouped.qk_norm == QkNorm::unit);
  CHECK(small.layers[2].norm_bias);
  CHECK(small.layers[2].parallel);
  CHECK(std::get<MoeMlp>(small.layers[2].feed_forward).selection_bias);
}

TEST_CASE("a model that is small already stays as small") {
  const Model model = scaled_model(fixtures::t1());
  CHECK(model.hidden == 32);
  CHECK(std::get<MoeMlp>(model.layers[0].feed_forward).experts == 8);
}

TEST_CASE("streams keep their bytes per second and column, and the head chunk does not divide") {
  const Problem full = make_problem(fixtures::qwen3_30b_a3b(), fixtures::cs2(), Workload{});
  const Problem small = scaled_problem(full);
  CHECK(small.wafer.stream_in_bytes_per_s / as_double(small.wafer.columns) ==
        bta::approx(full.wafer.stream_in_bytes_per_s / as_double(full.wafer.columns)));
  CHECK(small.wafer.layer_overhead_s < full.wafer.layer_overhead_s);
  CHECK(scaled_micro_batch * small.workload.seq_len % small.head_chunk != 0);
  CHECK(scale_note(full) ==
        "qwen3-30b-a3b runs scaled down: 2 of 48 layers (each kind), d 32 for 2048, V 61 for 151936, S 8 for "
        "2048, on "
        "7 x 5 for 994 x 750 cores with streams and overheads in proportion");
}

TEST_CASE("a measured routing is scaled by quantiles: the shares of the busiest, of the next, in order") {
  const MeasuredRouting measured{{1, 8, 2, 4, 0, 0}, "r.csv"};
  const auto counts = [&](std::int64_t experts, std::int64_t top_k) {
    return std::get<MeasuredRouting>(scaled_routing(measured, experts, top_k)).tokens_per_expert;
  };
  CHECK(counts(3, 1) == std::vector<double>{12, 3, 0});
  CHECK(counts(4, 1) == std::vector<double>{10, 4, 1, 0});
  CHECK(counts(4, 4) == std::vector<double>{10, 4, 1, 1});  // the last of the four gets the least measured
  CHECK(counts(6, 2) == measured.tokens_per_expert);
  CHECK(scaled_routing(ZipfRouting{1}, 3, 1) == Routing(ZipfRouting{1}));
}

TEST_CASE("the scaled model is verified with as many counts as it has experts") {
  Workload workload;
  workload.routing = MeasuredRouting{std::vector<double>(128, 1), "r.csv"};
  const Problem small = scaled_problem(make_problem(fixtures::qwen3_30b_a3b(), fixtures::cs2(), workload));
  CHECK(std::get<MeasuredRouting>(small.workload.routing).tokens_per_expert.size() == 12);
}

TEST_SUITE_END();

}  // namespace
