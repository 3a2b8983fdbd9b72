// How many candidate plans one core evaluates per second, and how long the search and a whole plan take.
#include <benchmark/benchmark.h>

#include "plan/plan.h"
#include "support/fixtures.h"

using namespace bta;

namespace {

Problem problem() {
  return make_problem(fixtures::qwen3_30b_a3b(), fixtures::cs2(), {});
}

/// One (B, G) with nothing remembered: time, memory, expert buffer.
void evaluate_candidate(benchmark::State& state) {
  const Problem p = problem();
  std::int64_t n = 0;
  for (auto _ : state) {
    ++n;
    benchmark::DoNotOptimize(evaluate(p, {1 + n % 30, 1 + n % 37}));
  }
  state.counters["candidates_per_s"] = benchmark::Counter(as_double(n), benchmark::Counter::kIsRate);
}
BENCHMARK(evaluate_candidate);

/// Every feasible candidate of a level, remembering what depends on N or B only.
void evaluate_level(benchmark::State& state) {
  const Problem p = problem();
  std::int64_t candidates = 0;
  for (auto _ : state) candidates += static_cast<std::int64_t>(all_feasible(p, {}).size());
  state.counters["candidates_per_s"] = benchmark::Counter(as_double(candidates), benchmark::Counter::kIsRate);
}
BENCHMARK(evaluate_level)->Unit(benchmark::kMillisecond);

/// The proven optimum of a level; counts what the bound spared as decided.
void search_level(benchmark::State& state) {
  const Problem p = problem();
  for (auto _ : state) benchmark::DoNotOptimize(search(p, {}));
}
BENCHMARK(search_level)->Unit(benchmark::kMillisecond);

void default_plan(benchmark::State& state) {
  const Model model = fixtures::qwen3_30b_a3b();
  const PlanRequest request{model, fixtures::cs2(), {}, {}, levels(model, {}).value(), false};
  for (auto _ : state) benchmark::DoNotOptimize(make_plan(request));
}
BENCHMARK(default_plan)->Unit(benchmark::kMillisecond);

}  // namespace
