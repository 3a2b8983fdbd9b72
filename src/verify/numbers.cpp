#include <fmt/format.h>

#include <array>
#include <cstring>

#include "verify/numbers_parts.h"

namespace bta::verify {
namespace {

using namespace numbers_parts;

constexpr double order_tolerance = 1e-10;

std::string about(const Sample& sample) {
  return fmt::format("{}, N {}", sample.problem.model.name, sample.sequences);
}

template <class Scalar>
bool same_bits(const Scalar* a, const Scalar* b, std::size_t count) {
  return count == 0 || std::memcmp(a, b, count * sizeof(Scalar)) == 0;
}

template <class Scalar>
void compare_bits(Comparison& comparison, const std::string& where, const std::vector<Scalar>& a,
                  const std::vector<Scalar>& b) {
  const bool finite = std::ranges::all_of(a, [](Scalar value) { return std::isfinite(value); });
  const bool same = finite && a.size() == b.size() && same_bits(a.data(), b.data(), a.size());
  comparison.same(where, same, static_cast<std::int64_t>(a.size()));
}

constexpr std::array<std::string_view, executor::stage_count> stage_names = {
    "attention", "router", "experts", "shared expert", "dense MLP", "head"};

template <class Scalar>
void compare_gradients(Comparison& comparison, const std::string& where, const Weights<Scalar>& a,
                       const Weights<Scalar>& b) {
  compare_bits(comparison, where + ", embedding gradient", a.embedding, b.embedding);
  compare_bits(comparison, where + ", head gradient", a.head, b.head);
  for (std::size_t l = 0; l < a.layers.size(); ++l) {
    for (std::size_t s = 0; s < executor::stage_count; ++s)
      compare_bits(comparison, fmt::format("{}, layer {} {} gradient", where, l, stage_names[s]),
                   a.layers[l].stages[s], b.layers[l].stages[s]);
    for (std::size_t e = 0; e < a.layers[l].experts.size(); ++e)
      compare_bits(comparison, fmt::format("{}, layer {} expert {} gradient", where, l, e),
                   a.layers[l].experts[e], b.layers[l].experts[e]);
  }
}

template <class Scalar>
void compare_steps(Comparison& comparison, const std::string& where, const StepResult<Scalar>& a,
                   const StepResult<Scalar>& b) {
  comparison.same(where + ", loss", std::isfinite(a.loss) && same_bits(&a.loss, &b.loss, 1));
  const bool logits = a.logits.allFinite() && a.logits.size() == b.logits.size() &&
                      same_bits(a.logits.data(), b.logits.data(), static_cast<std::size_t>(a.logits.size()));
  comparison.same(where + ", logits", logits, a.logits.size());
  compare_gradients(comparison, where, a.gradients, b.gradients);
}

template <class Scalar>
Check check_tilings(const Sample& sample, std::string_view arithmetic) {
  Comparison comparison(fmt::format("tiled equals untiled bit for bit, in {}", arithmetic), about(sample),
                        Measure::exact, 0);
  const Weights<Scalar> weights =
      executor::converted<Scalar>(executor::random_weights(sample.problem.model, sample.seed));
  const Batch batch = batch_of(sample);
  const StepResult<Scalar> untiled = run(sample.problem, {sample.sequences, 1}, weights, batch);
  Workload workload = sample.problem.workload;
  for (const Checkpoint policy : {Checkpoint::XY, Checkpoint::X, Checkpoint::wafer}) {
    workload.checkpoint = policy;
    const Problem problem = with_workload(sample.problem, workload);
    for (const Tiling tiling : tilings_of(sample.sequences))
      compare_steps(comparison,
                    fmt::format("B {}, G {}, checkpoint policy {}", tiling.tile_batch, tiling.tiles,
                                static_cast<int>(policy)),
                    untiled, run(problem, tiling, weights, batch));
  }
  return std::move(comparison).result();
}

/// Sequences in the order that `from` says.
Batch reordered(const Batch& batch, std::int64_t seq_len, const std::vector<std::int64_t>& from) {
  Batch result;
  for (const std::int64_t s : from)
    for (std::int64_t t = s * seq_len; t < (s + 1) * seq_len; ++t) {
      result.tokens.push_back(batch.tokens[static_cast<std::size_t>(t)]);
      result.targets.push_back(batch.targets[static_cast<std::size_t>(t)]);
    }
  return result;
}

void compare_reversed(Comparison& comparison, const Sample& sample, const Batch& batch, const Logits& logits,
                      const Weights<double>& weights) {
  const std::int64_t S = sample.problem.workload.seq_len, N = sample.sequences;
  std::vector<std::int64_t> order;
  for (std::int64_t s = N; s-- > 0;) order.push_back(s);
  const Logits reversed = run(sample.problem, {1, N}, weights, reordered(batch, S, order)).logits;
  for (std::int64_t s = 0; s < N; ++s)
    compare_rows(comparison, fmt::format("sequence {} in reversed order", s), logits, s * S, reversed,
                 (N - 1 - s) * S, S);
}

/// Another token at the end of one sequence: only it changes.
void compare_disturbed(Comparison& comparison, const Sample& sample, Batch batch, const Logits& logits,
                       const Weights<double>& weights) {
  const std::int64_t S = sample.problem.workload.seq_len, N = sample.sequences, row = (N / 2) * S + S - 1;
  std::int64_t& token = batch.tokens[static_cast<std::size_t>(row)];
  token = (token + 1) % sample.problem.model.vocabulary;
  const Logits changed = run(sample.problem, {1, N}, weights, batch).logits;
  compare_rows(comparison, "before a changed token", logits, 0, changed, 0, row);
  compare_rows(comparison, "sequences after a changed one", logits, row + 1, changed, row + 1,
               N * S - row - 1);
  const bool moved = (logits.row(row) - changed.row(row)).cwiseAbs().maxCoeff() > 0;
  const Model& model = sample.problem.model;
  const bool always_same = model.vocabulary == 1 || (model.norm_bias && model.hidden <= 2);
  comparison.same("the changed token's own logits change", moved || always_same);
}

}  // namespace

std::vector<Tiling> tilings_of(std::int64_t n) {
  std::vector<Tiling> tilings;
  for (std::int64_t b = 1; b <= n; ++b)
    if (n % b == 0) tilings.push_back({b, n / b});
  return tilings;
}

Check check_tilings_double(const Sample& sample) {
  return check_tilings<double>(sample, "double");
}

Check check_tilings_float(const Sample& sample) {
  return check_tilings<float>(sample, "float");
}

Check check_order(const Sample& sample) {
  Comparison comparison(std::string(order_claim), about(sample), Measure::to_largest, order_tolerance);
  const Weights<double> weights = executor::random_weights(sample.problem.model, sample.seed);
  const Batch batch = batch_of(sample);
  const Logits logits = run(sample.problem, {1, sample.sequences}, weights, batch).logits;
  compare_reversed(comparison, sample, batch, logits, weights);
  compare_disturbed(comparison, sample, batch, logits, weights);
  return std::move(comparison).result();
}

}  // namespace bta::verify
