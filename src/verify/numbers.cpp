#include "verify/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "executor/execute.h"
#include "executor/plain_step.h"
#include "verify/check.h"
#include "verify/setup.h"

namespace bta::verify {
namespace {

using executor::Batch;
using executor::NamedSpan;
using executor::StepResult;
using executor::Weights;

template <class Scalar>
StepResult<Scalar> run(const Problem& problem, Tiling tiling, const Weights<Scalar>& weights,
                       const Batch& batch) {
  return executor::execute<Scalar>(executor_config(problem, tiling), weights, batch);
}

Batch batch_of(const Sample& sample) {
  return executor::random_batch(sample.problem.model, sample.sequences, sample.problem.workload.seq_len,
                                sample.seed);
}

using Logits = executor::Matrix<double>;

/// Largest difference of two runs of rows, relative to the largest logit.
void compare_rows(Comparison& comparison, const std::string& where, const Logits& a, std::int64_t a_row,
                  const Logits& b, std::int64_t b_row, std::int64_t rows) {
  if (rows == 0) return;
  const double scale = a.cwiseAbs().maxCoeff();
  const double difference = (a.middleRows(a_row, rows) - b.middleRows(b_row, rows)).cwiseAbs().maxCoeff();
  comparison.near(where, 0, difference, scale);
}

double largest(const NamedSpan& span) {
  double most = 0;
  for (std::int64_t i = 0; i < span.size; ++i)
    most = std::max(most, std::abs((*span.values)[static_cast<std::size_t>(span.offset + i)]));
  return most;
}

double largest(const std::vector<NamedSpan>& spans) {
  double most = 0;
  for (const NamedSpan& span : spans) most = std::max(most, largest(span));
  return most;
}

double value(const NamedSpan& span, std::int64_t i) {
  return (*span.values)[static_cast<std::size_t>(span.offset + i)];
}

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

// Against the plain implementation and central differences.

constexpr double plain_tolerance = 1e-9, difference_tolerance = 1e-5;
constexpr double difference_step = 1e-5;
constexpr int elements_of_a_span = 2;
// A gradient that is zero but for rounding, as of q at S = 1, is compared with this part of the model's
// largest one.
constexpr double negligible_gradient = 1e-6, negligible_difference = 1e-3;

std::int64_t place_of_largest(const NamedSpan& span) {
  std::int64_t best = 0;
  for (std::int64_t i = 1; i < span.size; ++i)
    if (std::abs(value(span, i)) > std::abs(value(span, best))) best = i;
  return best;
}

/// Loss with one weight moved; absent when that routes a token elsewhere: there the loss jumps.
class Probe {
 public:
  Probe(const Sample& sample, Tiling tiling, Weights<double>& weights, const Batch& batch)
      : sample_(sample), tiling_(tiling), weights_(weights), batch_(batch) {
    choices_ = run(sample_.problem, tiling_, weights_, batch_).choices;
  }

  /// Two central differences, extrapolated: the error is of fourth order in the step.
  std::optional<double> slope(double& weight) const {
    const std::optional<double> near = central(weight, difference_step);
    const std::optional<double> far = central(weight, 2 * difference_step);
    if (!near || !far) return std::nullopt;
    return (4 * *near - *far) / 3;
  }

 private:
  std::optional<double> central(double& weight, double step) const {
    const std::optional<double> above = loss(weight, step), below = loss(weight, -step);
    if (!above || !below) return std::nullopt;
    return (*above - *below) / (2 * step);
  }
  std::optional<double> loss(double& weight, double move) const {
    const double kept = weight;
    weight = kept + move;
    const StepResult<double> step = run(sample_.problem, tiling_, weights_, batch_);
    weight = kept;
    if (step.choices != choices_) return std::nullopt;
    return step.loss;
  }

  const Sample& sample_;
  Tiling tiling_;
  Weights<double>& weights_;
  const Batch& batch_;
  std::vector<std::vector<std::int64_t>> choices_;
};

/// Elements of a span to be tried, the largest gradient first.
std::vector<std::int64_t> places(const NamedSpan& gradient) {
  std::vector<std::int64_t> result{place_of_largest(gradient)};
  for (const std::int64_t part : {2, 3, 5, 7, 1})
    result.push_back(std::min(gradient.size - 1, gradient.size / part));
  return result;
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

Check check_plain(const Sample& sample, Tiling tiling) {
  Comparison comparison(std::string(plain_claim), describe(sample.problem, tiling), Measure::to_largest,
                        plain_tolerance);
  const Weights<double> weights = executor::random_weights(sample.problem.model, sample.seed);
  const Batch batch = batch_of(sample);
  StepResult<double> tiled = run(sample.problem, tiling, weights, batch);
  executor::PlainResult plain =
      executor::plain_step(sample.problem.model, weights, batch, sample.problem.workload.seq_len);
  comparison.near("loss", plain.loss, tiled.loss, plain.loss);
  const auto logits = Eigen::Map<const Logits>(plain.logits.data(), tiled.logits.rows(), tiled.logits.cols());
  compare_rows(comparison, "logits", logits, 0, tiled.logits, 0, tiled.logits.rows());
  const std::vector<NamedSpan> expected = executor::named_spans(plain.gradients, sample.problem.model);
  const std::vector<NamedSpan> measured = executor::named_spans(tiled.gradients, sample.problem.model);
  const double least_scale = negligible_gradient * largest(expected);
  for (std::size_t s = 0; s < expected.size(); ++s) {
    const double scale = std::max(largest(expected[s]), least_scale);
    for (std::int64_t i = 0; i < expected[s].size; ++i)
      comparison.near(expected[s].name, value(expected[s], i), value(measured[s], i), scale);
  }
  return std::move(comparison).result();
}

Check check_finite_differences(const Sample& sample, Tiling tiling) {
  Comparison comparison(std::string(difference_claim), describe(sample.problem, tiling), Measure::to_largest,
                        difference_tolerance);
  Weights<double> weights = executor::random_weights(sample.problem.model, sample.seed);
  const Batch batch = batch_of(sample);
  StepResult<double> step = run(sample.problem, tiling, weights, batch);
  const std::vector<NamedSpan> gradients = executor::named_spans(step.gradients, sample.problem.model);
  const std::vector<NamedSpan> values = executor::named_spans(weights, sample.problem.model);
  const double least_scale = negligible_difference * largest(gradients);
  const Probe probe(sample, tiling, weights, batch);
  std::int64_t skipped = 0;
  for (std::size_t s = 0; s < gradients.size(); ++s) {
    int compared = 0;
    for (const std::int64_t i : places(gradients[s])) {
      const auto at = static_cast<std::size_t>(values[s].offset + i);
      const std::optional<double> slope = probe.slope((*values[s].values)[at]);
      skipped += slope ? 0 : 1;
      if (!slope) continue;
      comparison.near(values[s].name, *slope, value(gradients[s], i),
                      std::max(largest(gradients[s]), least_scale));
      if (++compared == elements_of_a_span) break;
    }
  }
  if (skipped > 0) comparison.note(fmt::format("{} elements left out, where the routing changes", skipped));
  return std::move(comparison).result();
}

}  // namespace bta::verify
