#include "executor/attention_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bta::executor {
namespace {

struct Rectangle {
  std::int64_t query = 0, queries = 0, key = 0, keys = 0;
};

std::int64_t first_visible(const AttentionShape& shape, std::int64_t query) {
  return shape.attention->window ? shape.attention->window->first_key(query) : 0;
}

/// One row at a time where rows see different keys, or where nothing is left to hold a second tensor.
std::vector<Rectangle> rectangles(const AttentionShape& shape, std::int64_t first, std::int64_t last,
                                  bool row_by_row) {
  if (shape.whole_square && !row_by_row) return {{first, last - first, 0, shape.seq_len}};
  std::vector<Rectangle> rows;
  for (std::int64_t q = first; q < last; ++q) {
    const std::int64_t from = shape.whole_square ? 0 : first_visible(shape, q);
    rows.push_back({q, 1, from, shape.whole_square ? shape.seq_len : q + 1 - from});
  }
  return rows;
}

Flops rectangle_flops(const Rectangle& r, std::int64_t dim) {
  return Flops(product(std::int64_t{2}, r.queries, r.keys, dim));
}

template <class Scalar>
void rotate(const RotaryTable<Scalar>& rotary, Eigen::Ref<Matrix<Scalar>> head, Scalar direction) {
  const Eigen::Index half = rotary.cosine.cols();
  for (Eigen::Index p = 0; p < head.rows(); ++p)
    for (Eigen::Index j = 0; j < half; ++j) {
      const Scalar c = rotary.cosine(p, j), s = direction * rotary.sine(p, j);
      const Scalar a = head(p, j), b = head(p, j + half);
      head(p, j) = a * c - b * s;
      head(p, j + half) = b * c + a * s;
    }
}

/// One head of one sequence as an operand: times its gain, rotated.
template <class Scalar>
Matrix<Scalar> operand(const AttentionShape& shape, const RotaryTable<Scalar>& rotary,
                       const Matrix<Scalar>& from, const Scalar* gains, std::int64_t sequence,
                       std::int64_t head) {
  const std::int64_t dim = shape.attention->qk_head_dim;
  Matrix<Scalar> result = from.block(sequence * shape.seq_len, head * dim, shape.seq_len, dim);
  const Scalar* gain = gains;
  if (gains != nullptr && shape.attention->qk_norm == QkNorm::projection) gain += head * dim;
  if (gain != nullptr)
    for (Eigen::Index t = 0; t < result.rows(); ++t)
      for (Eigen::Index i = 0; i < result.cols(); ++i) result(t, i) = gain[i] * result(t, i);
  rotate<Scalar>(rotary, result, Scalar(1));
  return result;
}

/// What one (sequence, head) reads and writes.
template <class Scalar>
struct HeadRun {
  const AttentionShape& shape;
  Matrix<Scalar> q, k;
  Eigen::Block<Matrix<Scalar>> v, context;
  Scalar scale;
};

template <class Scalar>
HeadRun<Scalar> head_run(const AttentionShape& shape, const RotaryTable<Scalar>& rotary,
                         const QkGains<Scalar>& gains, const AttentionTensors<Scalar>& t,
                         std::int64_t sequence, std::int64_t head) {
  const GroupedQueryAttention& a = *shape.attention;
  const std::int64_t kv = head / (a.heads / a.kv_heads), S = shape.seq_len, row = sequence * S;
  return {shape,
          operand<Scalar>(shape, rotary, t.q, gains.queries, sequence, head),
          operand<Scalar>(shape, rotary, t.k, gains.keys, sequence, kv),
          t.v.block(row, kv * a.v_head_dim, S, a.v_head_dim),
          t.context.block(row, head * a.v_head_dim, S, a.v_head_dim),
          static_cast<Scalar>(1 / std::sqrt(as_double(a.qk_head_dim)))};
}

/// Softmax over the keys that each query of the rectangle sees; 0 elsewhere.
template <class Scalar>
void masked_softmax(const AttentionShape& shape, const Rectangle& r, View<Scalar> scores,
                    View<Scalar> result) {
  for (std::int64_t i = 0; i < r.queries; ++i) {
    const std::int64_t query = r.query + i, from = first_visible(shape, query) - r.key,
                       to = query + 1 - r.key;
    for (std::int64_t j = 0; j < r.keys; ++j) {
      const bool visible = j >= from && j < to;
      result(i, j) = visible ? scores(i, j) : -std::numeric_limits<Scalar>::infinity();
    }
    softmax_row(&result(i, 0), r.keys);
  }
}

/// Scores, softmax, context of one rectangle; the probabilities stay in `probabilities`.
template <class Scalar>
void forward_rectangle(HeadRun<Scalar>& run, const Rectangle& r, View<Scalar> scores,
                       View<Scalar> probabilities, AttentionWork& done) {
  scores.noalias() = run.q.middleRows(r.query, r.queries) * run.k.middleRows(r.key, r.keys).transpose();
  scores *= run.scale;
  masked_softmax<Scalar>(run.shape, r, scores, probabilities);
  run.context.middleRows(r.query, r.queries).noalias() = probabilities * run.v.middleRows(r.key, r.keys);
  done.scores += rectangle_flops(r, run.shape.attention->qk_head_dim);
  done.context += rectangle_flops(r, run.shape.attention->v_head_dim);
}

template <class Scalar>
struct HeadGradients {
  Eigen::Block<Matrix<Scalar>> context, q, k, v;
};

template <class Scalar>
HeadGradients<Scalar> head_gradients(const AttentionShape& shape, const AttentionGradients<Scalar>& g,
                                     std::int64_t sequence, std::int64_t head) {
  const GroupedQueryAttention& a = *shape.attention;
  const std::int64_t kv = head / (a.heads / a.kv_heads), S = shape.seq_len, row = sequence * S;
  const std::int64_t dqk = a.qk_head_dim, dv = a.v_head_dim;
  return {g.context.block(row, head * dv, S, dv), g.q.block(row, head * dqk, S, dqk),
          g.k.block(row, kv * dqk, S, dqk), g.v.block(row, kv * dv, S, dv)};
}

/// From the probabilities of a rectangle: dV, dP, dS = P*(dP - sum(P*dP)), dQ, dK.
template <class Scalar>
void backward_rectangle(const HeadRun<Scalar>& run, const Rectangle& r, ConstView<Scalar> p, View<Scalar> dp,
                        HeadGradients<Scalar>& g, AttentionWork& done) {
  const auto dcontext = g.context.middleRows(r.query, r.queries);
  g.v.middleRows(r.key, r.keys).noalias() += p.transpose() * dcontext;
  dp.noalias() = dcontext * run.v.middleRows(r.key, r.keys).transpose();
  for (Eigen::Index i = 0; i < dp.rows(); ++i) {
    Scalar along = 0;
    for (Eigen::Index j = 0; j < dp.cols(); ++j) along += p(i, j) * dp(i, j);
    for (Eigen::Index j = 0; j < dp.cols(); ++j) dp(i, j) = run.scale * p(i, j) * (dp(i, j) - along);
  }
  g.q.middleRows(r.query, r.queries).noalias() = dp * run.k.middleRows(r.key, r.keys);
  g.k.middleRows(r.key, r.keys).noalias() += dp.transpose() * run.q.middleRows(r.query, r.queries);
  done.scores += 2 * rectangle_flops(r, run.shape.attention->qk_head_dim);
  done.context += 2 * rectangle_flops(r, run.shape.attention->v_head_dim);
}

/// Calls visit(sequence, head, place of the head in the score tensors, first row, last row) for every block.
void for_each_block(const AttentionShape& shape, std::int64_t sequences, const auto& visit) {
  const std::int64_t H = shape.attention->heads, S = shape.seq_len;
  for (std::int64_t group = 0; group < H; group += shape.heads_at_once)
    for (std::int64_t row = 0; row < S; row += shape.block_rows)
      for (std::int64_t s = 0; s < sequences; ++s)
        for (std::int64_t head = group; head < std::min(H, group + shape.heads_at_once); ++head)
          visit(s, head, s * shape.heads_at_once + head - group, row, std::min(S, row + shape.block_rows));
}

}  // namespace

template <class Scalar>
RotaryTable<Scalar>::RotaryTable(std::int64_t seq_len, std::int64_t head_dim)
    : cosine(seq_len, head_dim / 2), sine(seq_len, head_dim / 2) {
  for (Eigen::Index p = 0; p < cosine.rows(); ++p)
    for (Eigen::Index j = 0; j < cosine.cols(); ++j) {
      const double angle =
          static_cast<double>(p) * std::pow(1e4, -2 * static_cast<double>(j) / as_double(head_dim));
      cosine(p, j) = static_cast<Scalar>(std::cos(angle));
      sine(p, j) = static_cast<Scalar>(std::sin(angle));
    }
}

std::int64_t score_rows(const AttentionShape& shape, std::int64_t sequences) {
  return product(sequences, shape.heads_at_once, shape.block_rows);
}

template <class Scalar>
void attention_forward(const AttentionShape& shape, const RotaryTable<Scalar>& rotary,
                       const QkGains<Scalar>& gains, const AttentionTensors<Scalar>& t, AttentionWork& done) {
  Matrix<Scalar>& scores = t.scores.front().data;
  Matrix<Scalar>& probabilities = t.scores[shape.score_tensors > 1 ? 1 : 0].data;
  for_each_block(shape, t.q.rows() / shape.seq_len,
                 [&](auto s, auto head, auto place, auto first, auto last) {
                   HeadRun<Scalar> run = head_run(shape, rotary, gains, t, s, head);
                   for (const Rectangle& r : rectangles(shape, first, last, false)) {
                     const std::int64_t row = place * shape.block_rows + r.query - first;
                     forward_rectangle<Scalar>(run, r, scores.block(row, 0, r.queries, r.keys),
                                               probabilities.block(row, 0, r.queries, r.keys), done);
                   }
                 });
}

template <class Scalar>
void attention_backward(const AttentionShape& shape, const RotaryTable<Scalar>& rotary,
                        const QkGains<Scalar>& gains, const AttentionTensors<Scalar>& t,
                        const AttentionGradients<Scalar>& gradients, AttentionWork& recomputed,
                        AttentionWork& done) {
  const bool alone = shape.score_tensors == 1;  // the gradient of a row of scores lives in registers
  Matrix<Scalar> registers(1, alone ? shape.seq_len : 0);
  Matrix<Scalar>& scores = t.scores.front().data;
  Matrix<Scalar>& p = t.scores[alone ? 0 : 1].data;
  Matrix<Scalar>& dp = alone ? registers : t.scores[shape.score_tensors > 2 ? 2 : 0].data;
  for_each_block(shape, t.q.rows() / shape.seq_len,
                 [&](auto s, auto head, auto place, auto first, auto last) {
                   HeadRun<Scalar> run = head_run(shape, rotary, gains, t, s, head);
                   HeadGradients<Scalar> g = head_gradients(shape, gradients, s, head);
                   for (const Rectangle& r : rectangles(shape, first, last, alone)) {
                     const std::int64_t row = place * shape.block_rows + r.query - first;
                     const auto probabilities = p.block(row, 0, r.queries, r.keys);
                     forward_rectangle<Scalar>(run, r, scores.block(row, 0, r.queries, r.keys), probabilities,
                                               recomputed);
                     backward_rectangle<Scalar>(run, r, probabilities,
                                                dp.block(alone ? 0 : row, 0, r.queries, r.keys), g, done);
                   }
                 });
}

template <class Scalar>
void norm_heads(View<Scalar> x, std::int64_t width, Matrix<Scalar>* scales, std::int64_t first_scale) {
  for (Eigen::Index t = 0; t < x.rows(); ++t)
    for (Eigen::Index g = 0; g < x.cols() / width; ++g) {
      Scalar* const group = &x(t, g * width);
      const Scalar scale = norm_row<Scalar>(group, nullptr, group, width);
      if (scales != nullptr) (*scales)(t, first_scale + g) = scale;
    }
}

template <class Scalar>
void unrotate(const RotaryTable<Scalar>& rotary, View<Scalar> gradient, std::int64_t head_dim) {
  const Eigen::Index S = rotary.cosine.rows();
  for (Eigen::Index row = 0; row < gradient.rows(); row += S)
    for (Eigen::Index column = 0; column < gradient.cols(); column += head_dim)
      rotate<Scalar>(rotary, gradient.block(row, column, S, head_dim), Scalar(-1));
}

template <class Scalar>
void norm_heads_gradient(ConstView<Scalar> xhat, std::int64_t width, const Matrix<Scalar>& scales,
                         std::int64_t first_scale, const Scalar* gain, View<Scalar> gradient, Scalar* dgain,
                         bool one_gain_for_all_groups) {
  for (Eigen::Index t = 0; t < xhat.rows(); ++t)
    for (Eigen::Index g = 0; g < xhat.cols() / width; ++g) {
      const std::int64_t offset = one_gain_for_all_groups ? 0 : g * width;
      normed_row_gradient<Scalar>(xhat.row(t).data() + g * width, scales(t, first_scale + g), gain + offset,
                                  &gradient(t, g * width), dgain + offset, width);
    }
}

#define BTA_ATTENTION(Scalar)                                                                                \
  template struct RotaryTable<Scalar>;                                                                       \
  template void attention_forward(const AttentionShape&, const RotaryTable<Scalar>&, const QkGains<Scalar>&, \
                                  const AttentionTensors<Scalar>&, AttentionWork&);                          \
  template void attention_backward(const AttentionShape&, const RotaryTable<Scalar>&,                        \
                                   const QkGains<Scalar>&, const AttentionTensors<Scalar>&,                  \
                                   const AttentionGradients<Scalar>&, AttentionWork&, AttentionWork&);       \
  template void norm_heads(View<Scalar>, std::int64_t, Matrix<Scalar>*, std::int64_t);                       \
  template void unrotate(const RotaryTable<Scalar>&, View<Scalar>, std::int64_t);                            \
  template void norm_heads_gradient(ConstView<Scalar>, std::int64_t, const Matrix<Scalar>&, std::int64_t,    \
                                    const Scalar*, View<Scalar>, Scalar*, bool);
BTA_ATTENTION(double)
BTA_ATTENTION(float)
#undef BTA_ATTENTION

}  // namespace bta::executor
