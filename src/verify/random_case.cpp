#include "verify/random_case.h"

#include <array>

#include "base/random.h"
#include "executor/load_source.h"
#include "verify/setup.h"

namespace bta::verify {
namespace {

GroupedQueryAttention random_grouped_query(Random& random) {
  GroupedQueryAttention a;
  a.kv_heads = random.between(1, 3);
  a.heads = a.kv_heads * random.between(1, 3);
  a.qk_head_dim = random.between(1, 9);
  a.v_head_dim = random.one_in(2) ? a.qk_head_dim : random.between(1, 9);
  a.qk_norm = random.pick(std::array{QkNorm::none, QkNorm::per_head, QkNorm::projection, QkNorm::unit});
  a.qkv_bias = random.one_in(3);
  a.output_bias = random.one_in(3);
  if (random.one_in(3)) a.window = Window{random.between(1, 8), random.one_in(2)};
  if (random.one_in(3)) a.rotary_dim = random.between(0, a.qk_head_dim);
  a.sinks = random.one_in(3);
  return a;
}

LatentAttention random_latent(Random& random) {
  LatentAttention a;
  a.heads = random.between(1, 4);
  a.q_rank = random.one_in(3) ? 0 : random.between(1, 7);
  a.kv_rank = random.between(1, 7);
  a.nope_head_dim = random.between(1, 5);
  a.rope_head_dim = random.one_in(4) ? 0 : random.between(1, 5);
  a.v_head_dim = random.between(1, 6);
  a.bias = random.one_in(3);
  return a;
}

Attention random_attention(Random& random) {
  if (random.one_in(3)) return random_latent(random);
  return random_grouped_query(random);
}

MoeMlp random_moe(Random& random) {
  MoeMlp moe;
  moe.experts = random.between(1, 13);
  moe.top_k = random.one_in(4) ? moe.experts : random.between(1, moe.experts);
  moe.width = random.between(1, 12);
  moe.gated = !random.one_in(3);
  moe.shared_width = random.one_in(2) ? random.between(1, 10) : 0;
  moe.shared_gate = moe.shared_width > 0 && random.one_in(2);
  moe.router_bias = random.one_in(3);
  moe.selection_bias = random.one_in(3);
  moe.expert_bias = random.one_in(3);
  return moe;
}

FeedForward random_feed_forward(Random& random) {
  if (random.one_in(3))
    return DenseMlp{.width = random.between(1, 15), .gated = random.one_in(2), .bias = random.one_in(2)};
  return random_moe(random);
}

Layer random_layer(Random& random) {
  Layer layer{random_attention(random), random_feed_forward(random)};
  layer.norm_bias = random.one_in(3);
  layer.parallel = random.one_in(4);
  return layer;
}

Model random_model(Random& random) {
  Model model;
  model.name = "random";
  model.hidden = random.between(1, 19);
  model.vocabulary = random.between(1, 23);
  model.tied_embeddings = random.one_in(2);
  model.norm_bias = model.hidden > 2 && random.one_in(3);  // fewer values normed are always the same
  model.head_bias = random.one_in(3);
  const std::int64_t layers = random.between(1, 4);
  for (std::int64_t l = 0; l < layers; ++l)
    model.layers.push_back(l > 0 && random.one_in(3) ? model.layers.front() : random_layer(random));
  return model;
}

Wafer random_wafer(Random& random) {
  Wafer w;
  w.name = "random";
  w.rows = random.between(1, 9);
  w.columns = random.between(1, 9);
  w.sram_per_core = Bytes(random.between(100, 100'000));
  w.clock_hz = 1e9;
  w.vector_width.fp16 = random.between(1, 5);
  w.sram_read_bytes_per_cycle = random.pick(std::array{4.0, 16.0});
  w.sram_write_bytes_per_cycle = random.pick(std::array{2.0, 8.0, 16.0});
  w.link_bytes_per_cycle = random.pick(std::array{1.0, 4.0, 16.0});
  w.stream_in_bytes_per_s = random.pick(std::array{1e7, 1e8, 1e9, 1e11});
  w.stream_out_bytes_per_s = random.pick(std::array{1e7, 1e8, 1e9, 1e11});
  w.dense_peak_flops_per_s = 1e15;
  w.gemm_efficiency = 0.1 * as_double(random.between(1, 10));
  w.attention_efficiency = 0.1 * as_double(random.between(1, 10));
  w.partial_sum_bytes = as_double(random.between(1, 4));
  w.wafer_overlap = 0.5 * as_double(random.between(0, 2));
  w.stream_overlap = 0.25 * as_double(random.between(0, 4));
  w.layer_overhead_s = random.pick(std::array{0.0, 1e-6, 1e-3});
  w.tile_overhead_s = random.pick(std::array{0.0, 1e-6, 1e-4});
  w.expert_overhead_s = random.pick(std::array{0.0, 1e-6});
  if (random.one_in(3)) w.score_heads = random.between(1, 4);
  w.score_tensors_forward = random.between(1, 3);
  w.score_tensors_backward = random.between(1, 4);
  w.attention_block_rows = random.between(1, 12);
  return w;
}

Workload random_workload(Random& random) {
  Workload w;
  w.seq_len = random.between(1, 11);
  w.mask = random.pick(std::array{Mask::full, Mask::causal});
  w.kernel = random.pick(std::array{AttentionKernel::materialized, AttentionKernel::blocked});
  w.checkpoint = random.pick(std::array{Checkpoint::XY, Checkpoint::X, Checkpoint::wafer});
  w.placement = random.pick(std::array{Placement::masked, Placement::compacted});
  if (random.one_in(3)) w.routing = ZipfRouting{0.5 * as_double(random.between(1, 4))};
  if (random.one_in(3)) w.bytes = {4, 4, 4, 4};
  if (random.one_in(3)) w.bytes = {2, 1, 4, 4};
  w.head_chunk = random.between(1, 60);
  w.capacity_quantile = random.pick(std::array{0.0, 0.9, 0.999});
  return w;
}

/// The first k experts see every token, the others none.
executor::LoadSource one_sided_loads(const executor::Config& config) {
  return [model = config.model, tokens = micro_batch_tokens(config.tiling, config.workload.seq_len).value,
          rows = config.wafer.rows](std::size_t layer) {
    const MoeMlp& moe = std::get<MoeMlp>(model.layers[layer].feed_forward);
    std::vector<executor::ExpertLoad> loads(static_cast<std::size_t>(moe.experts));
    for (std::int64_t e = 0; e < moe.top_k; ++e)
      loads[static_cast<std::size_t>(e)] = {tokens, ceil_div(tokens, rows)};
    return loads;
  };
}

}  // namespace

RandomCase random_case(std::uint64_t seed) {
  Random random(seed);
  RandomCase result;
  const Model model = random_model(random);
  const Wafer wafer = random_wafer(random);
  result.problem = make_problem(model, wafer, random_workload(random));
  const Tiling tiling{random.between(1, 4), random.one_in(3) ? 1 : random.between(1, 4)};
  result.config = executor_config(result.problem, tiling);
  if (random.one_in(5))
    for (std::int64_t& capacity : result.config.expert_capacity)
      capacity = std::min<std::int64_t>(capacity, 1);
  switch (random.between(0, 2)) {
    case 0:
      result.loads = executor::sampled_loads(result.config, seed);
      break;
    case 1:
      result.loads = executor::ragged_loads(result.config);
      break;
    default:
      result.loads = one_sided_loads(result.config);
  }
  return result;
}

}  // namespace bta::verify
