// The arithmetic of the executor, one function for one operator, on row-major views: [tokens][width]. Matrix
// products are Eigen's and add their FLOPs to `done`; sums over a row run from left to right, so that the
// result does not depend on where in memory the row lies. Gradients are added to what is there unless said
// otherwise.
#pragma once

#include <cstdint>
#include <vector>

#include "base/count.h"
#include "executor/tensor.h"

namespace bta::executor {

/// A matrix [inputs][outputs] of weights or of their gradients, with its bias (null: none).
template <class Scalar>
struct Linear {
  Eigen::Map<Matrix<Scalar>> matrix;
  Scalar* bias = nullptr;
};

enum class Write { over, add };

/// y = a*b
template <class Scalar>
void multiply(ConstView<Scalar> a, ConstView<Scalar> b, View<Scalar> y, Write write, Flops& done);
/// y = a*b^T
template <class Scalar>
void multiply_transposed(ConstView<Scalar> a, ConstView<Scalar> b, View<Scalar> y, Write write, Flops& done);
/// y = a^T*b
template <class Scalar>
void transposed_multiply(ConstView<Scalar> a, ConstView<Scalar> b, View<Scalar> y, Write write, Flops& done);

/// y = x*W + bias
template <class Scalar>
void linear(ConstView<Scalar> x, const Linear<Scalar>& w, View<Scalar> y, Write write, Flops& done);
/// dx = dy*W^T
template <class Scalar>
void linear_input_gradient(ConstView<Scalar> dy, const Linear<Scalar>& w, View<Scalar> dx, Write write,
                           Flops& done);
/// dW += x^T*dy, dbias += sum of dy over the tokens
template <class Scalar>
void linear_weight_gradient(ConstView<Scalar> x, ConstView<Scalar> dy, Linear<Scalar>& dw, Flops& done);

inline constexpr double norm_epsilon = 1e-6;

/// A norm's parameters, or their gradients. Gain null: 1. With a bias it is a LayerNorm: x is centred first.
template <class Scalar>
struct NormWeights {
  Scalar* gain = nullptr;
  Scalar* bias = nullptr;
};

/// y_i = gain_i * xhat_i + bias_i of n values: RMSNorm xhat = x*scale, scale = 1/sqrt(mean(x^2) + epsilon);
/// LayerNorm the same of x - mean(x). y may be x. Returns scale.
template <class Scalar>
Scalar norm_row(const Scalar* x, NormWeights<Scalar> w, Scalar* y, std::int64_t n);
/// With e = gain*dy: dx_i = residual_i + scale*(e_i - xhat_i*mean(xhat*e)), LayerNorm - scale*mean(e);
/// dgain_i += dy_i*xhat_i, dbias_i += dy_i. residual null: 0. dx may be dy or residual.
template <class Scalar>
void norm_row_gradient(const Scalar* x, NormWeights<Scalar> w, const Scalar* dy, const Scalar* residual,
                       Scalar* dx, NormWeights<Scalar> dw, std::int64_t n);
/// That of an RMSNorm from xhat and its scale, x itself being gone; dy becomes dx. gain null: 1.
template <class Scalar>
void normed_row_gradient(const Scalar* xhat, Scalar scale, const Scalar* gain, Scalar* dy, Scalar* dgain,
                         std::int64_t n);

template <class Scalar>
void norm(ConstView<Scalar> x, NormWeights<Scalar> w, View<Scalar> y);

/// hidden = silu(gate)*up; gate null (0 columns): silu(up).
template <class Scalar>
void activate(ConstView<Scalar> gate, ConstView<Scalar> up, View<Scalar> hidden);
/// dhidden -> gradients of gate and up, in place of gate and up.
template <class Scalar>
void activate_gradient(ConstView<Scalar> dhidden, View<Scalar> gate, View<Scalar> up);

/// Softmax of one row of logits, in place.
template <class Scalar>
void softmax_row(Scalar* logits, std::int64_t n);
/// The same with one more logit in the sum, whose probability is not kept.
template <class Scalar>
void softmax_row(Scalar* logits, std::int64_t n, Scalar sink);

/// Cross-entropy of one row; the logits become their gradient times `weight`.
template <class Scalar>
double cross_entropy_row(Scalar* logits, std::int64_t n, std::int64_t target, Scalar weight);

/// Indices of the k largest, largest first; of equals the lowest index.
template <class Scalar>
std::vector<std::int64_t> largest(const Scalar* values, std::int64_t n, std::int64_t k);

template <class Scalar>
Scalar sigmoid(Scalar x);

}  // namespace bta::executor
