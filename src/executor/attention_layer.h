// What the forward and the backward pass of attention share: a layer's operators looked up once, the norm and
// the projections of one tile. Part of attention_forward.cpp and attention_backward.cpp.
#pragma once

#include <algorithm>

#include "executor/run.h"

namespace bta::executor {

/// A layer's attention with its operators looked up once.
template <class Scalar>
struct AttentionLayer {
  AttentionLayer(Run<Scalar>& r, std::size_t l)
      : run(r), layer(l), a(std::get<GroupedQueryAttention>(r.layer(l).attention)) {
    const auto find = [&](std::string_view name) { return run.machine.find(layer, name); };
    norm = find("attention_norm"), q_proj = find("q_proj"), k_proj = find("k_proj"), v_proj = find("v_proj");
    if (normed()) qk_norm = find("qk_norm");
    rotary = find("rotary"), scores = find("scores"), softmax = find("softmax"), context = find("context");
    o_proj = find("o_proj");
    if (run.with_data()) table = RotaryTable<Scalar>(run.config().workload.seq_len, a.qk_head_dim);
  }

  bool normed() const { return a.qk_norm != QkNorm::none; }
  bool per_head() const { return a.qk_norm == QkNorm::per_head; }
  std::int64_t q_width() const { return a.heads * a.qk_head_dim; }
  std::int64_t k_width() const { return a.kv_heads * a.qk_head_dim; }
  std::int64_t v_width() const { return a.kv_heads * a.v_head_dim; }
  std::int64_t context_width() const { return a.heads * a.v_head_dim; }
  /// Groups that the norm of queries, and of keys, works on.
  std::int64_t q_groups() const { return per_head() ? a.heads : 1; }
  std::int64_t k_groups() const { return per_head() ? a.kv_heads : 1; }

  AttentionShape shape(std::int64_t score_tensors) const {
    const Config& config = run.config();
    const std::int64_t S = config.workload.seq_len;
    const bool blocked = config.workload.kernel == AttentionKernel::blocked;
    return {&a,
            S,
            config.workload.mask == Mask::full,
            blocked ? std::min(S, config.wafer.attention_block_rows) : S,
            std::min(a.heads, config.wafer.score_heads.value_or(a.heads)),
            score_tensors};
  }

  QkGains<Scalar> gains(StageBuffer<Scalar>& weights) const {
    if (!normed()) return {};
    Scalar* const first = weights.gain("qk_norm");
    return {first, first + (per_head() ? a.qk_head_dim : q_width())};
  }

  Run<Scalar>& run;
  std::size_t layer;
  const GroupedQueryAttention& a;
  OperatorRef norm, q_proj, k_proj, v_proj, qk_norm, rotary, scores, softmax, context, o_proj;
  RotaryTable<Scalar> table;
};

template <class Scalar>
struct Projections {
  Tensor<Scalar> q, k, v, scales;  // scales: of the q/k norm, only where the backward pass needs them
};

/// [1] Norm of one tile.
template <class Scalar>
Tensor<Scalar> normed_tile(AttentionLayer<Scalar>& at, StageBuffer<Scalar>& weights,
                           const Matrix<Scalar>& from, std::int64_t first_row) {
  Run<Scalar>& run = at.run;
  Tensor<Scalar> normed = run.activations("normed input", run.tile(), run.hidden());
  run.machine.forward(at.norm, run.tile());
  run.each_sequence(run.tile(), [&](auto row, auto n) {
    norm<Scalar>(from.middleRows(first_row + row, n), weights.gain("attention_norm"), normed.rows(row, n));
  });
  return normed;
}

template <class Scalar>
void project(AttentionLayer<Scalar>& at, OperatorRef op, StageBuffer<Scalar>& weights,
             const Tensor<Scalar>& input, Tensor<Scalar>& output) {
  Run<Scalar>& run = at.run;
  run.machine.forward(op, run.tile());
  const std::string_view name = run.machine.operator_of(op).name;
  run.each_sequence(run.tile(), [&](auto row, auto n) {
    linear<Scalar>(input.rows(row, n), weights.linear(name), output.rows(row, n), Write::over,
                   run.machine.performed(op));
  });
}

template <class Scalar>
void norm_queries_and_keys(AttentionLayer<Scalar>& at, Projections<Scalar>& p) {
  Run<Scalar>& run = at.run;
  run.machine.forward(at.qk_norm, run.tile());
  Matrix<Scalar>* const scales = p.scales.data.size() == 0 ? nullptr : &p.scales.data;
  if (!run.with_data()) return;
  norm_heads<Scalar>(p.q.data, at.q_width() / at.q_groups(), scales, 0);
  norm_heads<Scalar>(p.k.data, at.k_width() / at.k_groups(), scales, at.q_groups());
}

/// [2] q, k, v of one tile.
template <class Scalar>
Projections<Scalar> projected(AttentionLayer<Scalar>& at, StageBuffer<Scalar>& weights,
                              const Tensor<Scalar>& normed, bool keep_scales) {
  Run<Scalar>& run = at.run;
  const std::int64_t t = run.tile();
  Projections<Scalar> p{run.activations("q", t, at.q_width()),
                        run.activations("k", t, at.k_width()),
                        run.activations("v", t, at.v_width()),
                        {}};
  if (at.normed() && keep_scales)
    p.scales = run.tensor("q/k norm scales", t, at.q_groups() + at.k_groups(), wide_bytes);
  project(at, at.q_proj, weights, normed, p.q);
  project(at, at.k_proj, weights, normed, p.k);
  project(at, at.v_proj, weights, normed, p.v);
  if (at.normed()) norm_queries_and_keys(at, p);
  run.machine.forward(at.rotary, t);
  return p;
}

template <class Scalar>
std::vector<Tensor<Scalar>> score_tensors(AttentionLayer<Scalar>& at, std::int64_t alive) {
  Run<Scalar>& run = at.run;
  const std::int64_t rows = score_rows(at.shape(alive), run.config().tiling.tile_batch);
  std::vector<Tensor<Scalar>> tensors;
  for (std::int64_t i = 0; i < alive; ++i)
    tensors.push_back(run.tensor("live score tensors", rows, run.config().workload.seq_len,
                                 run.config().workload.bytes.score));
  return tensors;
}

template <class Scalar>
void count_attention(AttentionLayer<Scalar>& at) {
  for (const OperatorRef op : {at.scores, at.softmax, at.context}) at.run.machine.forward(op, at.run.tile());
}

}  // namespace bta::executor
