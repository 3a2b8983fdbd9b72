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
  return shape.layout.window ? shape.layout.window->first_key(query) : 0;
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

/// One head of one sequence as an operand: times its gain, rotated.
template <class Scalar>
Matrix<Scalar> operand(const AttentionShape& shape, const RotaryTable<Scalar>& rotary, Matrix<Scalar> head,
                       const Scalar* gains, std::int64_t index) {
  const Scalar* const gain =
      gains != nullptr && shape.layout.gain_of_each_head ? gains + index * head.cols() : gains;
  if (gain != nullptr)
    for (Eigen::Index t = 0; t < head.rows(); ++t)
      for (Eigen::Index i = 0; i < head.cols(); ++i) head(t, i) = gain[i] * head(t, i);
  rotate<Scalar>(rotary, head.middleCols(shape.layout.rotary_first, shape.layout.rotary_dim), Scalar(1));
  return head;
}

template <class Scalar>
Matrix<Scalar> key_of(const AttentionShape& shape, const AttentionTensors<Scalar>& t, std::int64_t row,
                      std::int64_t kv) {
  const HeadLayout& l = shape.layout;
  Matrix<Scalar> key(shape.seq_len, l.qk_head_dim());
  key.leftCols(l.own_key_dim) = t.k.block(row, kv * l.own_key_dim, shape.seq_len, l.own_key_dim);
  if (l.shared_key_dim > 0)
    key.rightCols(l.shared_key_dim) =
        t.shared_key->block(row, l.shared_key_column, shape.seq_len, l.shared_key_dim);
  return key;
}

/// What one (sequence, head) reads and writes.
template <class Scalar>
struct HeadRun {
  const AttentionShape& shape;
  Matrix<Scalar> q, k;
  Eigen::Block<Matrix<Scalar>> v, context;
  Scalar scale;
  const Scalar* sink;  // null: none
};

template <class Scalar>
HeadRun<Scalar> head_run(const AttentionShape& shape, const RotaryTable<Scalar>& rotary,
                         const AttentionGains<Scalar>& gains, const AttentionTensors<Scalar>& t,
                         std::int64_t sequence, std::int64_t head) {
  const HeadLayout& l = shape.layout;
  const std::int64_t kv = head / (l.heads / l.kv_heads), S = shape.seq_len, row = sequence * S;
  const std::int64_t dqk = l.qk_head_dim(), dv = l.v_head_dim;
  return {shape,
          operand<Scalar>(shape, rotary, t.q.block(row, head * dqk, S, dqk), gains.queries, head),
          operand<Scalar>(shape, rotary, key_of(shape, t, row, kv), gains.keys, kv),
          t.v.block(row, l.v_column + kv * dv, S, dv),
          t.context.block(row, head * dv, S, dv),
          static_cast<Scalar>(1 / std::sqrt(as_double(dqk))),
          gains.sinks == nullptr ? nullptr : gains.sinks + head};
}

/// Softmax over the keys that each query of the rectangle sees, and the sink; 0 elsewhere.
template <class Scalar>
void masked_softmax(const AttentionShape& shape, const Scalar* sink, const Rectangle& r, View<Scalar> scores,
                    View<Scalar> result) {
  for (std::int64_t i = 0; i < r.queries; ++i) {
    const std::int64_t query = r.query + i, from = first_visible(shape, query) - r.key,
                       to = query + 1 - r.key;
    for (std::int64_t j = 0; j < r.keys; ++j) {
      const bool visible = j >= from && j < to;
      result(i, j) = visible ? scores(i, j) : -std::numeric_limits<Scalar>::infinity();
    }
    if (sink != nullptr)
      softmax_row(&result(i, 0), r.keys, *sink);
    else
      softmax_row(&result(i, 0), r.keys);
  }
}

/// Scores, softmax, context of one rectangle; the probabilities stay in `probabilities`.
template <class Scalar>
void forward_rectangle(HeadRun<Scalar>& run, const Rectangle& r, View<Scalar> scores,
                       View<Scalar> probabilities, AttentionWork& done) {
  multiply_transposed<Scalar>(run.q.middleRows(r.query, r.queries), run.k.middleRows(r.key, r.keys), scores,
                              Write::over, done.scores);
  scores *= run.scale;
  masked_softmax<Scalar>(run.shape, run.sink, r, scores, probabilities);
  multiply<Scalar>(probabilities, run.v.middleRows(r.key, r.keys), run.context.middleRows(r.query, r.queries),
                   Write::over, done.context);
}

template <class Scalar>
struct HeadGradients {
  Eigen::Block<Matrix<Scalar>> context, q, k, v;
  std::optional<Eigen::Block<Matrix<Scalar>>> shared_key;
  Scalar& sink;
};

template <class Scalar>
HeadGradients<Scalar> head_gradients(const AttentionShape& shape, const AttentionGradients<Scalar>& g,
                                     std::int64_t sequence, std::int64_t head, Scalar& sink) {
  const HeadLayout& l = shape.layout;
  const std::int64_t kv = head / (l.heads / l.kv_heads), S = shape.seq_len, row = sequence * S;
  const std::int64_t dqk = l.qk_head_dim(), dk = l.own_key_dim, dv = l.v_head_dim;
  HeadGradients<Scalar> result{g.context.block(row, head * dv, S, dv),
                               g.q.block(row, head * dqk, S, dqk),
                               g.k.block(row, kv * dk, S, dk),
                               g.v.block(row, l.v_column + kv * dv, S, dv),
                               std::nullopt,
                               sink};
  if (l.shared_key_dim > 0)
    result.shared_key.emplace(g.shared_key->block(row, l.shared_key_column, S, l.shared_key_dim));
  return result;
}

/// From the probabilities of a rectangle: dV, dP, dS = P*(dP - sum(P*dP)), dQ, dK.
template <class Scalar>
void backward_rectangle(const HeadRun<Scalar>& run, const Rectangle& r, ConstView<Scalar> p, View<Scalar> dp,
                        HeadGradients<Scalar>& g, AttentionWork& done) {
  const auto dcontext = g.context.middleRows(r.query, r.queries);
  transposed_multiply<Scalar>(p, dcontext, g.v.middleRows(r.key, r.keys), Write::add, done.context);
  multiply_transposed<Scalar>(dcontext, run.v.middleRows(r.key, r.keys), dp, Write::over, done.context);
  for (Eigen::Index i = 0; i < dp.rows(); ++i) {
    Scalar along = 0, seen = 0;
    for (Eigen::Index j = 0; j < dp.cols(); ++j) along += p(i, j) * dp(i, j), seen += p(i, j);
    if (run.sink != nullptr) g.sink -= (Scalar(1) - seen) * along;
    for (Eigen::Index j = 0; j < dp.cols(); ++j) dp(i, j) = run.scale * p(i, j) * (dp(i, j) - along);
  }
  const auto queries = run.q.middleRows(r.query, r.queries);
  multiply<Scalar>(dp, run.k.middleRows(r.key, r.keys), g.q.middleRows(r.query, r.queries), Write::over,
                   done.scores);
  transposed_multiply<Scalar>(dp, queries.leftCols(g.k.cols()), g.k.middleRows(r.key, r.keys), Write::add,
                              done.scores);
  if (g.shared_key)
    transposed_multiply<Scalar>(dp, queries.rightCols(g.shared_key->cols()),
                                g.shared_key->middleRows(r.key, r.keys), Write::add, done.scores);
}

/// Calls visit(sequence, head, place of the head in the score tensors, first row, last row) for every block.
void for_each_block(const AttentionShape& shape, std::int64_t sequences, const auto& visit) {
  const std::int64_t H = shape.layout.heads, S = shape.seq_len;
  for (std::int64_t group = 0; group < H; group += shape.heads_at_once)
    for (std::int64_t row = 0; row < S; row += shape.block_rows)
      for (std::int64_t s = 0; s < sequences; ++s)
        for (std::int64_t head = group; head < std::min(H, group + shape.heads_at_once); ++head)
          visit(s, head, s * shape.heads_at_once + head - group, row, std::min(S, row + shape.block_rows));
}

}  // namespace

std::int64_t score_rows(const AttentionShape& shape, std::int64_t sequences) {
  return product(sequences, shape.heads_at_once, shape.block_rows);
}

template <class Scalar>
void attention_forward(const AttentionShape& shape, const RotaryTable<Scalar>& rotary,
                       const AttentionGains<Scalar>& gains, const AttentionTensors<Scalar>& t,
                       AttentionWork& done) {
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
                        const AttentionGains<Scalar>& gains, const AttentionTensors<Scalar>& t,
                        const AttentionGradients<Scalar>& gradients, AttentionWork& recomputed,
                        AttentionWork& done) {
  const bool alone = shape.score_tensors == 1;  // the gradient of a row of scores lives in registers
  Matrix<Scalar> registers(1, alone ? shape.seq_len : 0);
  Matrix<Scalar>& scores = t.scores.front().data;
  Matrix<Scalar>& p = t.scores[alone ? 0 : 1].data;
  Matrix<Scalar>& dp = alone ? registers : t.scores[shape.score_tensors > 2 ? 2 : 0].data;
  const std::int64_t sequences = t.q.rows() / shape.seq_len;
  Matrix<Scalar> sinks = Matrix<Scalar>::Zero(sequences, shape.layout.heads);
  for_each_block(shape, sequences, [&](auto s, auto head, auto place, auto first, auto last) {
    HeadRun<Scalar> run = head_run(shape, rotary, gains, t, s, head);
    HeadGradients<Scalar> g = head_gradients(shape, gradients, s, head, sinks(s, head));
    for (const Rectangle& r : rectangles(shape, first, last, alone)) {
      const std::int64_t row = place * shape.block_rows + r.query - first;
      const auto probabilities = p.block(row, 0, r.queries, r.keys);
      forward_rectangle<Scalar>(run, r, scores.block(row, 0, r.queries, r.keys), probabilities, recomputed);
      backward_rectangle<Scalar>(run, r, probabilities, dp.block(alone ? 0 : row, 0, r.queries, r.keys), g,
                                 done);
    }
  });
  if (gradients.sinks == nullptr) return;
  for (std::int64_t s = 0; s < sequences; ++s)  // one after the other, whatever the tiling
    for (std::int64_t head = 0; head < shape.layout.heads; ++head) gradients.sinks[head] += sinks(s, head);
}

#define BTA_ATTENTION(Scalar)                                                                      \
  template void attention_forward(const AttentionShape&, const RotaryTable<Scalar>&,               \
                                  const AttentionGains<Scalar>&, const AttentionTensors<Scalar>&,  \
                                  AttentionWork&);                                                 \
  template void attention_backward(const AttentionShape&, const RotaryTable<Scalar>&,              \
                                   const AttentionGains<Scalar>&, const AttentionTensors<Scalar>&, \
                                   const AttentionGradients<Scalar>&, AttentionWork&, AttentionWork&);
BTA_ATTENTION(double)
BTA_ATTENTION(float)
#undef BTA_ATTENTION

}  // namespace bta::executor
