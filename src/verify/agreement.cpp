#include <fmt/format.h>

#include "executor/plain_step.h"
#include "verify/numbers_parts.h"

namespace bta::verify {
namespace {

using namespace numbers_parts;

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
