// What the checks with data share. Part of numbers.cpp and agreement.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "executor/execute.h"
#include "verify/check.h"
#include "verify/numbers.h"
#include "verify/setup.h"

namespace bta::verify::numbers_parts {

using executor::Batch;
using executor::NamedSpan;
using executor::StepResult;
using executor::Weights;

template <class Scalar>
StepResult<Scalar> run(const Problem& problem, Tiling tiling, const Weights<Scalar>& weights,
                       const Batch& batch) {
  return executor::execute<Scalar>(executor_config(problem, tiling), weights, batch);
}

inline Batch batch_of(const Sample& sample) {
  return executor::random_batch(sample.problem.model, sample.sequences, sample.problem.workload.seq_len,
                                sample.seed);
}

using Logits = executor::Matrix<double>;

/// Largest difference of two runs of rows, relative to the largest logit.
inline void compare_rows(Comparison& comparison, const std::string& where, const Logits& a,
                         std::int64_t a_row, const Logits& b, std::int64_t b_row, std::int64_t rows) {
  if (rows == 0) return;
  const double scale = a.cwiseAbs().maxCoeff();
  const double difference = (a.middleRows(a_row, rows) - b.middleRows(b_row, rows)).cwiseAbs().maxCoeff();
  comparison.near(where, 0, difference, scale);
}

inline double largest(const NamedSpan& span) {
  double most = 0;
  for (std::int64_t i = 0; i < span.size; ++i)
    most = std::max(most, std::abs((*span.values)[static_cast<std::size_t>(span.offset + i)]));
  return most;
}

inline double largest(const std::vector<NamedSpan>& spans) {
  double most = 0;
  for (const NamedSpan& span : spans) most = std::max(most, largest(span));
  return most;
}

inline double value(const NamedSpan& span, std::int64_t i) {
  return (*span.values)[static_cast<std::size_t>(span.offset + i)];
}

}  // namespace bta::verify::numbers_parts
