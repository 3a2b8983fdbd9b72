// Whole steps of the executor: with data on one core, items_per_second is FLOP/s of the gemm and attention
// class; shapes alone at full size.
#include <benchmark/benchmark.h>

#include "cost/flops.h"
#include "executor/execute.h"
#include "executor/load_source.h"
#include "support/fixtures.h"
#include "verify/setup.h"

namespace {

using namespace bta;

/// A model whose products are large enough to run at the library's speed.
Problem middling() {
  Model model = fixtures::qwen3_30b_a3b(8, 2, 256);
  model.hidden = 512;
  model.vocabulary = 2048;
  model.layers.resize(2);
  for (Layer& layer : model.layers) {
    auto& attention = std::get<GroupedQueryAttention>(layer.attention);
    attention.heads = 8;
    attention.kv_heads = 2;
    attention.qk_head_dim = attention.v_head_dim = 64;
  }
  Workload workload;
  workload.seq_len = 256;
  return make_problem(model, fixtures::cs2(), workload);
}

void step_with_data(benchmark::State& state) {
  const Problem problem = middling();
  const Tiling tiling{1, 4};
  const executor::Config config = verify::executor_config(problem, tiling);
  const auto weights = executor::random_weights(problem.model, 1);
  const auto batch = executor::random_batch(problem.model, 4, 256, 1);
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(executor::execute<double>(config, weights, batch).loss);
  state.SetItemsProcessed(state.iterations() * count_flops(problem, 4).hardware.value);
}
BENCHMARK(step_with_data)->Unit(benchmark::kMillisecond);

void full_size_shapes(benchmark::State& state) {
  const Problem problem = make_problem(fixtures::qwen3_30b_a3b(), fixtures::cs2(), Workload{});
  const executor::Config config = verify::executor_config(problem, {27, 47});
  const executor::LoadSource loads = executor::ragged_loads(config);
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(executor::execute_shapes(config, loads).peak);
}
BENCHMARK(full_size_shapes)->Unit(benchmark::kMillisecond);

}  // namespace
