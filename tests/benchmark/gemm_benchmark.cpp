// The executor's matrix products against plain Eigen at the same call sizes: [tokens][inputs] x
// [inputs][outputs], forward, input gradient, weight gradient. items_per_second is FLOP/s; compare the two
// rows of one size.
#include <benchmark/benchmark.h>

#include "executor/kernels.h"

namespace {

using namespace bta;
using namespace bta::executor;
using Doubles = Matrix<double>;

enum class Kind { forward, input_gradient, weight_gradient };

/// x, w, y of one call size.
struct Operands {
  explicit Operands(const benchmark::State& state)
      : x(Doubles::Random(state.range(0), state.range(1))),
        w(Doubles::Random(state.range(1), state.range(2))),
        y(Doubles::Random(state.range(0), state.range(2))) {}
  Doubles x, w, y;
};

void report(benchmark::State& state) {
  const std::int64_t flops = 2 * state.range(0) * state.range(1) * state.range(2);
  state.SetItemsProcessed(state.iterations() * flops);
}

template <Kind kind>
void plain_eigen(benchmark::State& state) {
  Operands o(state);
  for ([[maybe_unused]] auto _ : state) {
    if constexpr (kind == Kind::forward) o.y.noalias() = o.x * o.w;
    if constexpr (kind == Kind::input_gradient) o.x.noalias() = o.y * o.w.transpose();
    if constexpr (kind == Kind::weight_gradient) o.w.noalias() += o.x.transpose() * o.y;
    benchmark::ClobberMemory();
  }
  report(state);
}

template <Kind kind>
void executor_kernel(benchmark::State& state) {
  Operands o(state);
  Linear<double> w{Eigen::Map<Doubles>(o.w.data(), o.w.rows(), o.w.cols()), nullptr};
  for ([[maybe_unused]] auto _ : state) {
    Flops done;
    if constexpr (kind == Kind::forward) linear<double>(o.x, w, o.y, Write::over, done);
    if constexpr (kind == Kind::input_gradient) linear_input_gradient<double>(o.y, w, o.x, Write::over, done);
    if constexpr (kind == Kind::weight_gradient) linear_weight_gradient<double>(o.x, o.y, w, done);
    benchmark::ClobberMemory();
  }
  report(state);
}

/// A scaled verify run; a sequence of a middling model; an expert's tokens.
void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Args({8, 32, 32})->Args({64, 256, 256})->Args({512, 512, 1024})->Args({37, 512, 768});
}

BENCHMARK(plain_eigen<Kind::forward>)->Apply(sizes);
BENCHMARK(executor_kernel<Kind::forward>)->Apply(sizes);
BENCHMARK(plain_eigen<Kind::input_gradient>)->Apply(sizes);
BENCHMARK(executor_kernel<Kind::input_gradient>)->Apply(sizes);
BENCHMARK(plain_eigen<Kind::weight_gradient>)->Apply(sizes);
BENCHMARK(executor_kernel<Kind::weight_gradient>)->Apply(sizes);

}  // namespace
