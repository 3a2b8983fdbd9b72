// What the forward and the backward pass of attention share, whatever its kind: a layer's operators looked up
// once, the norm of one tile, a projection and its gradients. What differs by kind (q, k, v and the way back
// through them) is in grouped_query.h and latent_attention.h. Part of attention_forward.cpp and
// attention_backward.cpp.
#pragma once

#include <algorithm>

#include "executor/run.h"

namespace bta::executor {

/// A layer's attention with its operators looked up once.
template <class Scalar>
struct AttentionLayer {
  AttentionLayer(Run<Scalar>& r, std::size_t l, const HeadLayout& heads)
      : run(r),
        layer(l),
        layout(heads),
        norm(find("attention_norm")),
        scores(find("scores")),
        softmax(find("softmax")),
        context(find("context")),
        o_proj(find("o_proj")) {
    if (rotates()) rotary = find("rotary");
    if (run.with_data()) table = RotaryTable<Scalar>(run.config().workload.seq_len, layout.rotary_dim);
  }

  OperatorRef find(std::string_view name) const { return run.machine.find(layer, name); }
  bool rotates() const { return layout.rotary_dim > 0; }
  std::int64_t context_width() const { return layout.heads * layout.v_head_dim; }

  AttentionShape shape(std::int64_t score_tensors) const {
    const Config& config = run.config();
    const std::int64_t S = config.workload.seq_len;
    const bool blocked = config.workload.kernel == AttentionKernel::blocked;
    return {layout,
            S,
            config.workload.mask == Mask::full,
            blocked ? std::min(S, config.wafer.attention_block_rows) : S,
            std::min(layout.heads, config.wafer.score_heads.value_or(layout.heads)),
            score_tensors};
  }

  Run<Scalar>& run;
  std::size_t layer;
  HeadLayout layout;
  OperatorRef norm, rotary, scores, softmax, context, o_proj;
  RotaryTable<Scalar> table;
};

/// Rows of a matrix from `first_row` on, and its first columns.
template <class Scalar>
struct Part {
  Matrix<Scalar>& of;
  std::int64_t first_row = 0;
  std::int64_t columns = -1;  // all
  auto rows(std::int64_t row, std::int64_t n) const {
    return of.block(first_row + row, 0, n, columns < 0 ? of.cols() : columns);
  }
};

/// [1] Norm of one tile.
template <class Scalar>
Tensor<Scalar> normed_tile(AttentionLayer<Scalar>& at, StageBuffer<Scalar>& weights,
                           const Matrix<Scalar>& from, std::int64_t first_row) {
  Run<Scalar>& run = at.run;
  Tensor<Scalar> normed = run.activations("normed input", run.tile(), run.hidden());
  run.machine.forward(at.norm, run.tile());
  run.each_sequence(run.tile(), [&](auto row, auto n) {
    norm<Scalar>(from.middleRows(first_row + row, n), weights.norm("attention_norm"), normed.rows(row, n));
  });
  return normed;
}

template <class Scalar>
void project(AttentionLayer<Scalar>& at, OperatorRef op, StageBuffer<Scalar>& weights, Part<Scalar> input,
             Part<Scalar> output, Write write = Write::over) {
  Run<Scalar>& run = at.run;
  run.machine.forward(op, run.tile());
  run.each_sequence(run.tile(), [&](auto row, auto n) {
    linear<Scalar>(input.rows(row, n), weights.linear(run.machine.operator_of(op).name), output.rows(row, n),
                   write, run.machine.performed(op));
  });
}

template <class Scalar>
void weight_gradient(AttentionLayer<Scalar>& at, OperatorRef op, StageBuffer<Scalar>& gradients,
                     Part<Scalar> input, Part<Scalar> doutput) {
  Run<Scalar>& run = at.run;
  run.machine.weight_gradient(op, run.tile());
  run.each_sequence(run.tile(), [&](auto row, auto n) {
    Linear<Scalar> dw = gradients.linear(run.machine.operator_of(op).name);
    linear_weight_gradient<Scalar>(input.rows(row, n), doutput.rows(row, n), dw, run.machine.performed(op));
  });
}

template <class Scalar>
void input_gradient(AttentionLayer<Scalar>& at, OperatorRef op, StageBuffer<Scalar>& weights,
                    Part<Scalar> doutput, Part<Scalar> dinput, Write write) {
  Run<Scalar>& run = at.run;
  run.machine.input_gradient(op, run.tile());
  run.each_sequence(run.tile(), [&](auto row, auto n) {
    linear_input_gradient<Scalar>(doutput.rows(row, n), weights.linear(run.machine.operator_of(op).name),
                                  dinput.rows(row, n), write, run.machine.performed(op));
  });
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
