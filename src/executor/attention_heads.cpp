// How heads lie in a tile, their rotary embedding and their norms: attention_kernel.h.
#include <cmath>

#include "executor/attention_kernel.h"

namespace bta::executor {

template <class Scalar>
RotaryTable<Scalar>::RotaryTable(std::int64_t seq_len, std::int64_t columns)
    : cosine(seq_len, columns / 2), sine(seq_len, columns / 2) {
  for (Eigen::Index p = 0; p < cosine.rows(); ++p)
    for (Eigen::Index j = 0; j < cosine.cols(); ++j) {
      const double angle =
          static_cast<double>(p) * std::pow(1e4, -2 * static_cast<double>(j) / as_double(columns));
      cosine(p, j) = static_cast<Scalar>(std::cos(angle));
      sine(p, j) = static_cast<Scalar>(std::sin(angle));
    }
}

HeadLayout head_layout(const GroupedQueryAttention& a) {
  return {.heads = a.heads,
          .kv_heads = a.kv_heads,
          .own_key_dim = a.qk_head_dim,
          .v_head_dim = a.v_head_dim,
          .rotary_dim = a.rotated(),
          .gain_of_each_head = a.qk_norm == QkNorm::projection,
          .window = a.window};
}

HeadLayout head_layout(const LatentAttention& a) {
  return {.heads = a.heads,
          .kv_heads = a.heads,
          .own_key_dim = a.nope_head_dim,
          .shared_key_dim = a.rope_head_dim,
          .v_head_dim = a.v_head_dim,
          .shared_key_column = a.kv_rank,
          .v_column = a.heads * a.nope_head_dim,
          .rotary_first = a.nope_head_dim,
          .rotary_dim = a.rope_head_dim};
}

template <class Scalar>
void rotate(const RotaryTable<Scalar>& rotary, View<Scalar> head, Scalar direction) {
  const Eigen::Index half = rotary.cosine.cols();
  for (Eigen::Index p = 0; p < head.rows(); ++p)
    for (Eigen::Index j = 0; j < half; ++j) {
      const Scalar c = rotary.cosine(p, j), s = direction * rotary.sine(p, j);
      const Scalar a = head(p, j), b = head(p, j + half);
      head(p, j) = a * c - b * s;
      head(p, j + half) = b * c + a * s;
    }
}

template <class Scalar>
void norm_heads(View<Scalar> x, std::int64_t width, Matrix<Scalar>* scales, std::int64_t first_scale) {
  for (Eigen::Index t = 0; t < x.rows(); ++t)
    for (Eigen::Index g = 0; g < x.cols() / width; ++g) {
      Scalar* const group = &x(t, g * width);
      const Scalar scale = norm_row<Scalar>(group, {}, group, width);
      if (scales != nullptr) (*scales)(t, first_scale + g) = scale;
    }
}

template <class Scalar>
void unrotate(const RotaryTable<Scalar>& rotary, View<Scalar> gradient, std::int64_t head_dim,
              std::int64_t rotary_first) {
  const Eigen::Index S = rotary.cosine.rows();
  for (Eigen::Index row = 0; row < gradient.rows(); row += S)
    for (Eigen::Index column = 0; column < gradient.cols(); column += head_dim)
      rotate<Scalar>(rotary, gradient.block(row, column + rotary_first, S, head_dim - rotary_first),
                     Scalar(-1));
}

template <class Scalar>
void norm_heads_gradient(ConstView<Scalar> xhat, std::int64_t width, const Matrix<Scalar>& scales,
                         std::int64_t first_scale, const Scalar* gain, View<Scalar> gradient, Scalar* dgain,
                         bool one_gain_for_all_groups) {
  for (Eigen::Index t = 0; t < xhat.rows(); ++t)
    for (Eigen::Index g = 0; g < xhat.cols() / width; ++g) {
      const std::int64_t offset = one_gain_for_all_groups ? 0 : g * width;
      normed_row_gradient<Scalar>(xhat.row(t).data() + g * width, scales(t, first_scale + g),
                                  gain == nullptr ? nullptr : gain + offset, &gradient(t, g * width),
                                  dgain == nullptr ? nullptr : dgain + offset, width);
    }
}

#define BTA_HEADS(Scalar)                                                                                 \
  template struct RotaryTable<Scalar>;                                                                    \
  template void rotate(const RotaryTable<Scalar>&, View<Scalar>, Scalar);                                 \
  template void norm_heads(View<Scalar>, std::int64_t, Matrix<Scalar>*, std::int64_t);                    \
  template void unrotate(const RotaryTable<Scalar>&, View<Scalar>, std::int64_t, std::int64_t);           \
  template void norm_heads_gradient(ConstView<Scalar>, std::int64_t, const Matrix<Scalar>&, std::int64_t, \
                                    const Scalar*, View<Scalar>, Scalar*, bool);
BTA_HEADS(double)
BTA_HEADS(float)
#undef BTA_HEADS

}  // namespace bta::executor
