// Scores, softmax and context of the sequences of one tile, forward and backward, sequence by sequence and
// head by head, over blocks of query rows (all S rows in a materialized kernel). Of each block the chip
// computes rectangles of (queries x keys): the whole width with mask full, of each row what it may see with
// mask causal; what a rectangle holds beyond that is masked. Queries and keys are stored normed (when the
// model norms them); the gain and the rotary embedding are applied as an operand is read, so that the
// backward pass still has xhat. Source of the schedule: docs/schedule.md, attention forward [3] and backward
// [3].
#pragma once

#include <vector>

#include "executor/kernels.h"
#include "model/model.h"

namespace bta::executor {

/// cos and sin of position * 10000^(-2j/dqk), j < dqk/2: element j turns with element j + dqk/2.
template <class Scalar>
struct RotaryTable {
  RotaryTable() = default;
  RotaryTable(std::int64_t seq_len, std::int64_t head_dim);
  Matrix<Scalar> cosine, sine;  // [S][dqk/2]
};

/// Gains of the q/k norm; null when there is none.
template <class Scalar>
struct QkGains {
  Scalar* queries = nullptr;
  Scalar* keys = nullptr;
};

struct AttentionShape {
  const GroupedQueryAttention* attention = nullptr;
  std::int64_t seq_len = 0;
  bool whole_square = true;     // mask full
  std::int64_t block_rows = 0;  // query rows of scores held at once
  std::int64_t heads_at_once = 0;
  std::int64_t score_tensors = 1;  // alive at once
};

/// Rows of a tensor of scores, for `sequences` sequences.
std::int64_t score_rows(const AttentionShape& shape, std::int64_t sequences);

/// The tile's tensors, [tile tokens][heads * head size].
template <class Scalar>
struct AttentionTensors {
  Matrix<Scalar>&q, &k, &v, &context;
  std::vector<Tensor<Scalar>>& scores;
};
template <class Scalar>
struct AttentionGradients {
  Matrix<Scalar>&context, &q, &k, &v;
};

/// FLOPs done, by operator.
struct AttentionWork {
  Flops scores, context;
};

template <class Scalar>
void attention_forward(const AttentionShape& shape, const RotaryTable<Scalar>& rotary,
                       const QkGains<Scalar>& gains, const AttentionTensors<Scalar>& tensors,
                       AttentionWork& done);

/// Recomputes scores and context, then the gradients of rotated queries and keys, and of values, from that of
/// the context.
template <class Scalar>
void attention_backward(const AttentionShape& shape, const RotaryTable<Scalar>& rotary,
                        const QkGains<Scalar>& gains, const AttentionTensors<Scalar>& tensors,
                        const AttentionGradients<Scalar>& gradients, AttentionWork& recomputed,
                        AttentionWork& done);

/// xhat in place, over groups of `width` columns; scales [tokens][groups] receives 1/rms when it has columns.
template <class Scalar>
void norm_heads(View<Scalar> x, std::int64_t width, Matrix<Scalar>* scales, std::int64_t first_scale);

/// Back through the rotary embedding of every head, in place.
template <class Scalar>
void unrotate(const RotaryTable<Scalar>& rotary, View<Scalar> gradient, std::int64_t head_dim);

/// Back through the norm of groups of `width` columns, in place; dgain has the gain's length.
template <class Scalar>
void norm_heads_gradient(ConstView<Scalar> xhat, std::int64_t width, const Matrix<Scalar>& scales,
                         std::int64_t first_scale, const Scalar* gain, View<Scalar> gradient, Scalar* dgain,
                         bool one_gain_for_all_groups);

}  // namespace bta::executor
