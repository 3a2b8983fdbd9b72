// What the plain step is made of, over a Scalar that is double or Var: functions of one token's row, and the
// parameters of a stage with the linear maps and norms they define.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "executor/tape.h"
#include "executor/weights.h"

namespace bta::executor::plain {

inline constexpr double norm_epsilon = 1e-6;

template <class Scalar>
using Row = std::vector<Scalar>;  // of one token
template <class Scalar>
using Rows = std::vector<Row<Scalar>>;  // of all tokens, in global order

inline std::size_t index(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

/// y_i = g_i * x_i / sqrt(mean(x^2) + epsilon), over each run of x as long as the gains.
template <class Scalar>
Row<Scalar> rms_norm(const Row<Scalar>& x, std::span<const Scalar> gains) {
  using std::sqrt;
  const std::size_t width = gains.size();
  Row<Scalar> y(x.size());
  for (std::size_t begin = 0; begin < x.size(); begin += width) {
    Scalar squares = 0.0;
    for (std::size_t i = 0; i < width; ++i) squares += x[begin + i] * x[begin + i];
    const Scalar root = sqrt(squares / Scalar(static_cast<double>(width)) + Scalar(norm_epsilon));
    for (std::size_t i = 0; i < width; ++i) y[begin + i] = gains[i] * x[begin + i] / root;
  }
  return y;
}

/// Over the whole row, without a gain.
template <class Scalar>
Row<Scalar> rms_norm(const Row<Scalar>& x) {
  const Row<Scalar> ones(x.size(), Scalar(1.0));
  return rms_norm(x, std::span<const Scalar>(ones));
}

template <class Scalar>
Row<Scalar> centred(Row<Scalar> x) {
  Scalar sum = 0.0;
  for (const Scalar& each : x) sum += each;
  const Scalar mean = sum / Scalar(static_cast<double>(x.size()));
  for (Scalar& each : x) each = each - mean;
  return x;
}

template <class Scalar>
Scalar sigmoid(const Scalar& x) {
  using std::exp;
  return Scalar(1.0) / (Scalar(1.0) + exp(-x));
}

template <class Scalar>
Scalar silu(const Scalar& x) {
  return x * sigmoid(x);
}

/// The largest value, as a constant: subtracting it changes neither softmax nor its gradient.
template <class Scalar>
double largest(const Row<Scalar>& x) {
  double result = value_of(x.front());
  for (const Scalar& each : x) result = std::max(result, value_of(each));
  return result;
}

template <class Scalar>
Row<Scalar> softmax(const Row<Scalar>& x) {
  using std::exp;
  const Scalar top = largest(x);
  Row<Scalar> y;
  Scalar sum = 0.0;
  for (const Scalar& each : x) {
    y.push_back(exp(each - top));
    sum += y.back();
  }
  for (Scalar& each : y) each = each / sum;
  return y;
}

template <class Scalar>
Scalar cross_entropy(const Row<Scalar>& logits, std::size_t target) {
  using std::exp;
  using std::log;
  const Scalar top = largest(logits);
  Scalar sum = 0.0;
  for (const Scalar& each : logits) sum += exp(each - top);
  return log(sum) - (logits[target] - top);
}

template <class Scalar>
void add_scaled(Row<Scalar>& x, const Scalar& scale, const Row<Scalar>& y) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += scale * y[i];
}

/// The indices of the k largest values, of equal ones the lowest index first.
template <class Scalar>
std::vector<std::size_t> top_k(const Row<Scalar>& x, std::size_t k) {
  std::vector<std::size_t> order;
  for (std::size_t e = 0; e < x.size(); ++e) order.push_back(e);
  std::ranges::stable_sort(order,
                           [&](std::size_t e, std::size_t f) { return value_of(x[e]) > value_of(x[f]); });
  order.resize(k);
  return order;
}

/// The parameters of one stage (or of one expert), found by the operator's name.
template <class Scalar>
class Parameters {
 public:
  Parameters(const std::vector<Scalar>& values, const std::vector<Operator>& operators, Stage stage)
      : values_(values), slices_(slices(operators, stage)) {}

  std::span<const Scalar> gains(std::string_view name) const {
    const Slice& slice = find(name);
    return values_.subspan(index(slice.offset), index(slice.outputs));
  }

  /// RMSNorm; LayerNorm where there is a bias.
  Row<Scalar> norm(std::string_view name, const Row<Scalar>& x) const {
    const Slice& slice = find(name);
    if (!slice.bias) return rms_norm(x, gains(name));
    Row<Scalar> y = rms_norm(centred(x), gains(name));
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += values_[index(slice.bias_offset()) + i];
    return y;
  }

  /// y_o = sum_i x_i * w[i][o] + b_o.
  Row<Scalar> linear(std::string_view name, const Row<Scalar>& x) const {
    const Slice& slice = find(name);
    const std::size_t inputs = index(slice.inputs), outputs = index(slice.outputs);
    const std::span<const Scalar> matrix = values_.subspan(index(slice.offset), inputs * outputs);
    Row<Scalar> y(outputs, Scalar(0.0));
    for (std::size_t o = 0; o < outputs; ++o) {
      for (std::size_t i = 0; i < inputs; ++i) y[o] += x[i] * matrix[i * outputs + o];
      if (slice.bias) y[o] += values_[index(slice.bias_offset()) + o];
    }
    return y;
  }

  /// Column `column` of a matrix.
  Row<Scalar> column(std::string_view name, std::size_t column) const {
    const Slice& slice = find(name);
    Row<Scalar> y;
    for (std::size_t i = 0; i < index(slice.inputs); ++i)
      y.push_back(values_[index(slice.offset) + i * index(slice.outputs) + column]);
    return y;
  }

 private:
  const Slice& find(std::string_view name) const {
    const auto found = std::ranges::find(slices_, name, &Slice::name);
    if (found == slices_.end()) throw std::invalid_argument("no parameters named " + std::string(name));
    return *found;
  }

  std::span<const Scalar> values_;
  std::vector<Slice> slices_;
};

}  // namespace bta::executor::plain
