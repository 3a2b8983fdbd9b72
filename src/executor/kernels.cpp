#include "executor/kernels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bta::executor {
namespace {

Flops gemm_flops(Eigen::Index rows, Eigen::Index inner, Eigen::Index columns) {
  return Flops(product(std::int64_t{2}, rows, inner, columns));
}

/// `inner`: the length of the sums.
template <class Scalar>
void apply_product(View<Scalar> y, const auto& product, Eigen::Index inner, Write write, Flops& done) {
  if (write == Write::over)
    y.noalias() = product;
  else
    y.noalias() += product;
  done += gemm_flops(y.rows(), inner, y.cols());
}

/// What a row is normed by: xhat = (x - mean) * scale.
template <class Scalar>
struct RowScale {
  Scalar mean = 0, scale = 1;
};

template <class Scalar>
RowScale<Scalar> row_scale(const Scalar* x, bool centred, std::int64_t n) {
  RowScale<Scalar> row;
  if (centred) {
    for (std::int64_t i = 0; i < n; ++i) row.mean += x[i];
    row.mean /= static_cast<Scalar>(n);
  }
  Scalar squares = 0;
  for (std::int64_t i = 0; i < n; ++i) squares += (x[i] - row.mean) * (x[i] - row.mean);
  row.scale = Scalar(1) / std::sqrt(squares / static_cast<Scalar>(n) + static_cast<Scalar>(norm_epsilon));
  return row;
}

template <class Scalar>
Scalar gain_of(const Scalar* gain, std::int64_t i) {
  return gain == nullptr ? Scalar(1) : gain[i];
}

}  // namespace

template <class Scalar>
void multiply(ConstView<Scalar> a, ConstView<Scalar> b, View<Scalar> y, Write write, Flops& done) {
  apply_product<Scalar>(y, a * b, a.cols(), write, done);
}

template <class Scalar>
void multiply_transposed(ConstView<Scalar> a, ConstView<Scalar> b, View<Scalar> y, Write write, Flops& done) {
  apply_product<Scalar>(y, a * b.transpose(), a.cols(), write, done);
}

template <class Scalar>
void transposed_multiply(ConstView<Scalar> a, ConstView<Scalar> b, View<Scalar> y, Write write, Flops& done) {
  apply_product<Scalar>(y, a.transpose() * b, a.rows(), write, done);
}

template <class Scalar>
void linear(ConstView<Scalar> x, const Linear<Scalar>& w, View<Scalar> y, Write write, Flops& done) {
  multiply<Scalar>(x, w.matrix, y, write, done);
  if (w.bias == nullptr) return;
  for (Eigen::Index t = 0; t < y.rows(); ++t)
    for (Eigen::Index o = 0; o < y.cols(); ++o) y(t, o) += w.bias[o];
}

template <class Scalar>
void linear_input_gradient(ConstView<Scalar> dy, const Linear<Scalar>& w, View<Scalar> dx, Write write,
                           Flops& done) {
  multiply_transposed<Scalar>(dy, w.matrix, dx, write, done);
}

template <class Scalar>
void linear_weight_gradient(ConstView<Scalar> x, ConstView<Scalar> dy, Linear<Scalar>& dw, Flops& done) {
  transposed_multiply<Scalar>(x, dy, dw.matrix, Write::add, done);
  if (dw.bias == nullptr) return;
  for (Eigen::Index t = 0; t < dy.rows(); ++t)
    for (Eigen::Index o = 0; o < dy.cols(); ++o) dw.bias[o] += dy(t, o);
}

template <class Scalar>
Scalar norm_row(const Scalar* x, NormWeights<Scalar> w, Scalar* y, std::int64_t n) {
  const RowScale<Scalar> row = row_scale(x, w.bias != nullptr, n);
  for (std::int64_t i = 0; i < n; ++i) y[i] = gain_of(w.gain, i) * ((x[i] - row.mean) * row.scale);
  if (w.bias != nullptr)
    for (std::int64_t i = 0; i < n; ++i) y[i] += w.bias[i];
  return row.scale;
}

template <class Scalar>
void norm_row_gradient(const Scalar* x, NormWeights<Scalar> w, const Scalar* dy, const Scalar* residual,
                       Scalar* dx, NormWeights<Scalar> dw, std::int64_t n) {
  const bool centred = w.bias != nullptr;
  const auto [mean, scale] = row_scale(x, centred, n);
  Scalar along = 0, sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const Scalar e = gain_of(w.gain, i) * dy[i];
    along += (x[i] - mean) * scale * e;
    sum += e;
  }
  along /= static_cast<Scalar>(n);
  const Scalar middle = centred ? sum / static_cast<Scalar>(n) : Scalar(0);
  for (std::int64_t i = 0; i < n; ++i) {
    const Scalar xhat = (x[i] - mean) * scale, d = dy[i];
    if (dw.gain != nullptr) dw.gain[i] += d * xhat;
    if (dw.bias != nullptr) dw.bias[i] += d;
    dx[i] = (residual == nullptr ? Scalar(0) : residual[i]) +
            scale * (gain_of(w.gain, i) * d - middle - xhat * along);
  }
}

template <class Scalar>
void normed_row_gradient(const Scalar* xhat, Scalar scale, const Scalar* gain, Scalar* dy, Scalar* dgain,
                         std::int64_t n) {
  Scalar along = 0;
  for (std::int64_t i = 0; i < n; ++i) along += xhat[i] * gain_of(gain, i) * dy[i];
  along /= static_cast<Scalar>(n);
  for (std::int64_t i = 0; i < n; ++i) {
    if (dgain != nullptr) dgain[i] += dy[i] * xhat[i];
    dy[i] = scale * (gain_of(gain, i) * dy[i] - xhat[i] * along);
  }
}

template <class Scalar>
void norm(ConstView<Scalar> x, NormWeights<Scalar> w, View<Scalar> y) {
  for (Eigen::Index t = 0; t < x.rows(); ++t)
    norm_row(x.row(t).data(), w, y.row(t).data(), static_cast<std::int64_t>(x.cols()));
}

template <class Scalar>
Scalar sigmoid(Scalar x) {
  return Scalar(1) / (Scalar(1) + std::exp(-x));
}

template <class Scalar>
void activate(ConstView<Scalar> gate, ConstView<Scalar> up, View<Scalar> hidden) {
  for (Eigen::Index t = 0; t < up.rows(); ++t)
    for (Eigen::Index i = 0; i < up.cols(); ++i) {
      const Scalar through = gate.cols() == 0 ? up(t, i) : gate(t, i);
      const Scalar silu = through * sigmoid(through);
      hidden(t, i) = gate.cols() == 0 ? silu : silu * up(t, i);
    }
}

template <class Scalar>
void activate_gradient(ConstView<Scalar> dhidden, View<Scalar> gate, View<Scalar> up) {
  for (Eigen::Index t = 0; t < up.rows(); ++t)
    for (Eigen::Index i = 0; i < up.cols(); ++i) {
      Scalar& through = gate.cols() == 0 ? up(t, i) : gate(t, i);
      const Scalar s = sigmoid(through), silu = through * s,
                   slope = s * (Scalar(1) + through * (Scalar(1) - s));
      const Scalar d = dhidden(t, i), factor = gate.cols() == 0 ? Scalar(1) : up(t, i);
      through = d * factor * slope;
      if (gate.cols() != 0) up(t, i) = d * silu;
    }
}

template <class Scalar>
void softmax_row(Scalar* logits, std::int64_t n) {
  const Scalar top = *std::max_element(logits, logits + n);
  Scalar sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += logits[i] = std::exp(logits[i] - top);
  for (std::int64_t i = 0; i < n; ++i) logits[i] /= sum;
}

template <class Scalar>
void softmax_row(Scalar* logits, std::int64_t n, Scalar sink) {
  const Scalar top = std::max(sink, *std::max_element(logits, logits + n));
  Scalar sum = std::exp(sink - top);
  for (std::int64_t i = 0; i < n; ++i) sum += logits[i] = std::exp(logits[i] - top);
  for (std::int64_t i = 0; i < n; ++i) logits[i] /= sum;
}

template <class Scalar>
double cross_entropy_row(Scalar* logits, std::int64_t n, std::int64_t target, Scalar weight) {
  const Scalar top = *std::max_element(logits, logits + n), chosen = logits[target] - top;
  Scalar sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += logits[i] = std::exp(logits[i] - top);
  for (std::int64_t i = 0; i < n; ++i) logits[i] = weight * (logits[i] / sum - (i == target ? 1 : 0));
  return static_cast<double>(std::log(sum) - chosen);
}

template <class Scalar>
std::vector<std::int64_t> largest(const Scalar* values, std::int64_t n, std::int64_t k) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  const auto before = [&](std::int64_t a, std::int64_t b) {
    return values[a] != values[b] ? values[a] > values[b] : a < b;
  };
  std::partial_sort(order.begin(), order.begin() + k, order.end(), before);
  order.resize(static_cast<std::size_t>(k));
  return order;
}

#define BTA_KERNELS(Scalar)                                                                                  \
  template void multiply(ConstView<Scalar>, ConstView<Scalar>, View<Scalar>, Write, Flops&);                 \
  template void multiply_transposed(ConstView<Scalar>, ConstView<Scalar>, View<Scalar>, Write, Flops&);      \
  template void transposed_multiply(ConstView<Scalar>, ConstView<Scalar>, View<Scalar>, Write, Flops&);      \
  template void linear(ConstView<Scalar>, const Linear<Scalar>&, View<Scalar>, Write, Flops&);               \
  template void linear_input_gradient(ConstView<Scalar>, const Linear<Scalar>&, View<Scalar>, Write,         \
                                      Flops&);                                                               \
  template void linear_weight_gradient(ConstView<Scalar>, ConstView<Scalar>, Linear<Scalar>&, Flops&);       \
  template Scalar norm_row(const Scalar*, NormWeights<Scalar>, Scalar*, std::int64_t);                       \
  template void norm_row_gradient(const Scalar*, NormWeights<Scalar>, const Scalar*, const Scalar*, Scalar*, \
                                  NormWeights<Scalar>, std::int64_t);                                        \
  template void normed_row_gradient(const Scalar*, Scalar, const Scalar*, Scalar*, Scalar*, std::int64_t);   \
  template void norm(ConstView<Scalar>, NormWeights<Scalar>, View<Scalar>);                                  \
  template void activate(ConstView<Scalar>, ConstView<Scalar>, View<Scalar>);                                \
  template void activate_gradient(ConstView<Scalar>, View<Scalar>, View<Scalar>);                            \
  template void softmax_row(Scalar*, std::int64_t);                                                          \
  template void softmax_row(Scalar*, std::int64_t, Scalar);                                                  \
  template double cross_entropy_row(Scalar*, std::int64_t, std::int64_t, Scalar);                            \
  template std::vector<std::int64_t> largest(const Scalar*, std::int64_t, std::int64_t);                     \
  template Scalar sigmoid(Scalar);
BTA_KERNELS(double)
BTA_KERNELS(float)
#undef BTA_KERNELS

}  // namespace bta::executor
