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

/// cos and sin of position * 10000^(-2j/n), j < n/2, of n rotated columns: element j turns with j + n/2.
template <class Scalar>
struct RotaryTable {
  RotaryTable() = default;
  RotaryTable(std::int64_t seq_len, std::int64_t columns);
  Matrix<Scalar> cosine, sine;  // [S][n/2]
};

/// Gains of the q/k norm and sinks [H], or their gradients; null where there are none.
template <class Scalar>
struct AttentionGains {
  Scalar* queries = nullptr;
  Scalar* keys = nullptr;
  Scalar* sinks = nullptr;
};

/// How heads lie in a tile's tensors. A head's key is its own columns of `k`, then those that all heads
/// share.
struct HeadLayout {
  std::int64_t heads = 0, kv_heads = 0;
  std::int64_t own_key_dim = 0, shared_key_dim = 0;  // dqk together
  std::int64_t v_head_dim = 0;
  std::int64_t shared_key_column = 0, v_column = 0;  // where they begin in their tensors
  std::int64_t rotary_first = 0, rotary_dim = 0;     // columns of a head's query and key that are rotated
  bool gain_of_each_head = false;                    // of the q/k norm; else one for all heads
  std::optional<Window> window = std::nullopt;

  std::int64_t qk_head_dim() const { return own_key_dim + shared_key_dim; }
};
HeadLayout head_layout(const GroupedQueryAttention& a);
/// `k` and `v` are one tensor: own keys of all heads, then values; shared keys follow the kv latent.
HeadLayout head_layout(const LatentAttention& a);

struct AttentionShape {
  HeadLayout layout;
  std::int64_t seq_len = 0;
  bool whole_square = true;     // mask full
  std::int64_t block_rows = 0;  // query rows of scores held at once
  std::int64_t heads_at_once = 0;
  std::int64_t score_tensors = 1;  // alive at once
};

/// Rows of a tensor of scores, for `sequences` sequences.
std::int64_t score_rows(const AttentionShape& shape, std::int64_t sequences);

/// A tile's tensors, [tile tokens][columns as HeadLayout has them]; k and v may be one.
template <class Scalar>
struct AttentionTensors {
  Matrix<Scalar>&q, &k, &v, &context;
  std::vector<Tensor<Scalar>>& scores;
  Matrix<Scalar>* shared_key = nullptr;
};
template <class Scalar>
struct AttentionGradients {
  Matrix<Scalar>&context, &q, &k, &v;
  Matrix<Scalar>* shared_key = nullptr;
  Scalar* sinks = nullptr;
};

/// FLOPs done, by operator.
struct AttentionWork {
  Flops scores, context;
};

template <class Scalar>
void attention_forward(const AttentionShape& shape, const RotaryTable<Scalar>& rotary,
                       const AttentionGains<Scalar>& gains, const AttentionTensors<Scalar>& tensors,
                       AttentionWork& done);

/// Recomputes scores and context, then the gradients of rotated queries and keys, and of values, from that of
/// the context.
template <class Scalar>
void attention_backward(const AttentionShape& shape, const RotaryTable<Scalar>& rotary,
                        const AttentionGains<Scalar>& gains, const AttentionTensors<Scalar>& tensors,
                        const AttentionGradients<Scalar>& gradients, AttentionWork& recomputed,
                        AttentionWork& done);

/// The rotary embedding of the first columns of one head of one sequence, in place; direction 1 or -1.
template <class Scalar>
void rotate(const RotaryTable<Scalar>& rotary, View<Scalar> head, Scalar direction);

/// xhat in place, over groups of `width` columns; scales [tokens][groups] receives 1/rms when it has columns.
template <class Scalar>
void norm_heads(View<Scalar> x, std::int64_t width, Matrix<Scalar>* scales, std::int64_t first_scale);

/// Back through the rotary embedding of every head, in place: of each `head_dim` columns those from
/// `rotary_first` on.
template <class Scalar>
void unrotate(const RotaryTable<Scalar>& rotary, View<Scalar> gradient, std::int64_t head_dim,
              std::int64_t rotary_first);

/// Back through the norm of groups of `width` columns, in place; dgain has the gain's length.
template <class Scalar>
void norm_heads_gradient(ConstView<Scalar> xhat, std::int64_t width, const Matrix<Scalar>& scales,
                         std::int64_t first_scale, const Scalar* gain, View<Scalar> gradient, Scalar* dgain,
                         bool one_gain_for_all_groups);

}  // namespace bta::executor
