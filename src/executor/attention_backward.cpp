#include "executor/attention_layer.h"
#include "executor/attention_schedule.h"
#include "executor/tiled_phase.h"

namespace bta::executor {
namespace {

/// [3] of a backward tile: the context again, gradients of rotated q and k and of v.
template <class Scalar>
void attention_gradients(AttentionLayer<Scalar>& at, StageBuffer<Scalar>& weights, Projections<Scalar>& p,
                         Tensor<Scalar>& context, Tensor<Scalar>& dcontext, Projections<Scalar>& dp) {
  Run<Scalar>& run = at.run;
  const std::int64_t alive = run.config().wafer.score_tensors_backward;
  std::vector<Tensor<Scalar>> scores = score_tensors(at, alive);
  count_attention(at);
  for (const OperatorRef op : {at.scores, at.softmax, at.context}) run.machine.both_gradients(op, run.tile());
  if (!run.with_data()) return;
  AttentionWork recomputed, done;
  attention_backward<Scalar>(at.shape(alive), at.table, at.gains(weights),
                             {p.q.data, p.k.data, p.v.data, context.data, scores},
                             {dcontext.data, dp.q.data, dp.k.data, dp.v.data}, recomputed, done);
  run.machine.performed(at.scores) += recomputed.scores + done.scores;
  run.machine.performed(at.context) += recomputed.context + done.context;
}

/// Back through rotary embedding and q/k norm, in place, while q and k are there.
template <class Scalar>
void unrotate_and_unnorm(AttentionLayer<Scalar>& at, StageBuffer<Scalar>& weights,
                         StageBuffer<Scalar>& gradients, Projections<Scalar>& p, Projections<Scalar>& dp) {
  Run<Scalar>& run = at.run;
  run.machine.both_gradients(at.rotary, run.tile());
  if (at.normed()) run.machine.both_gradients(at.qk_norm, run.tile());
  if (!run.with_data()) return;
  unrotate<Scalar>(at.table, dp.q.data, at.a.qk_head_dim);
  unrotate<Scalar>(at.table, dp.k.data, at.a.qk_head_dim);
  if (!at.normed()) return;
  const QkGains<Scalar> gain = at.gains(weights), dgain = at.gains(gradients);
  norm_heads_gradient<Scalar>(p.q.data, at.q_width() / at.q_groups(), p.scales.data, 0, gain.queries,
                              dp.q.data, dgain.queries, at.per_head());
  norm_heads_gradient<Scalar>(p.k.data, at.k_width() / at.k_groups(), p.scales.data, at.q_groups(), gain.keys,
                              dp.k.data, dgain.keys, at.per_head());
}

template <class Scalar>
void weight_gradient(AttentionLayer<Scalar>& at, OperatorRef op, StageBuffer<Scalar>& gradients,
                     const Tensor<Scalar>& input, const Matrix<Scalar>& doutput, std::int64_t first_row) {
  Run<Scalar>& run = at.run;
  run.machine.weight_gradient(op, run.tile());
  run.each_sequence(run.tile(), [&](auto row, auto n) {
    Linear<Scalar> dw = gradients.linear(run.machine.operator_of(op).name);
    linear_weight_gradient<Scalar>(input.rows(row, n), doutput.middleRows(first_row + row, n), dw,
                                   run.machine.performed(op));
  });
}

template <class Scalar>
void input_gradient(AttentionLayer<Scalar>& at, OperatorRef op, StageBuffer<Scalar>& weights,
                    const Matrix<Scalar>& doutput, std::int64_t first_row, Tensor<Scalar>& dinput,
                    Write write) {
  Run<Scalar>& run = at.run;
  run.machine.input_gradient(op, run.tile());
  run.each_sequence(run.tile(), [&](auto row, auto n) {
    linear_input_gradient<Scalar>(doutput.middleRows(first_row + row, n),
                                  weights.linear(run.machine.operator_of(op).name), dinput.rows(row, n),
                                  write, run.machine.performed(op));
  });
}

/// [4] The output projection again, weight gradients, back through the projections and the norm into dY.
template <class Scalar>
void input_gradients(AttentionLayer<Scalar>& at, StageBuffer<Scalar>& weights, StageBuffer<Scalar>& gradients,
                     const Tile<Scalar>& tile, const Tensor<Scalar>& normed, const Tensor<Scalar>& context,
                     const Projections<Scalar>& dp, Tensor<Scalar>& dy) {
  Run<Scalar>& run = at.run;
  Tensor<Scalar> dnormed = run.activations("normed input gradient", run.tile(), run.hidden());
  project(at, at.o_proj, weights, context, dnormed);  // replayed; nothing needs it
  weight_gradient(at, at.o_proj, gradients, context, dy.data, tile.row);
  weight_gradient(at, at.q_proj, gradients, normed, dp.q.data, 0);
  weight_gradient(at, at.k_proj, gradients, normed, dp.k.data, 0);
  weight_gradient(at, at.v_proj, gradients, normed, dp.v.data, 0);
  input_gradient(at, at.q_proj, weights, dp.q.data, 0, dnormed, Write::over);
  input_gradient(at, at.k_proj, weights, dp.k.data, 0, dnormed, Write::add);
  input_gradient(at, at.v_proj, weights, dp.v.data, 0, dnormed, Write::add);
  run.machine.both_gradients(at.norm, run.tile());
  run.each_sequence(run.tile(), [&](auto row, auto n) {
    for (std::int64_t r = row; r < row + n; ++r) {
      Scalar* const d = &dy.data(tile.row + r, 0);
      norm_row_gradient<Scalar>(&tile.x(tile.x_row + r, 0), weights.gain("attention_norm"),
                                &dnormed.data(r, 0), d, d, gradients.gain("attention_norm"), run.hidden());
    }
  });
}

template <class Scalar>
void run_backward_tile(AttentionLayer<Scalar>& at, StageBuffer<Scalar>& weights,
                       StageBuffer<Scalar>& gradients, const Tile<Scalar>& tile, Tensor<Scalar>& dy) {
  Run<Scalar>& run = at.run;
  Arena& arena = run.machine.arena();
  const std::int64_t t = run.tile();
  Tensor<Scalar> normed = normed_tile(at, weights, tile.x, tile.x_row);
  arena.step(2);
  Projections<Scalar> p = projected(at, weights, normed, true);
  arena.step(3);
  Tensor<Scalar> context = run.activations("context", t, at.context_width());
  Projections<Scalar> dp{run.activations("q gradient", t, at.q_width()),
                         run.zeros("k gradient", t, at.k_width(), run.activation()),
                         run.zeros("v gradient", t, at.v_width(), run.activation()),
                         {}};
  {
    Tensor<Scalar> dcontext = run.activations("context gradient", t, at.context_width());
    input_gradient(at, at.o_proj, weights, dy.data, tile.row, dcontext, Write::over);
    attention_gradients(at, weights, p, context, dcontext, dp);
  }
  unrotate_and_unnorm(at, weights, gradients, p, dp);
  p = {};
  arena.step(4);
  input_gradients(at, weights, gradients, tile, normed, context, dp, dy);
  run.machine.overhead(run.config().wafer.tile_overhead_s);
}

}  // namespace

template <class Scalar>
void attention_backward_phase(Run<Scalar>& run, std::size_t layer, Tensor<Scalar>& dy) {
  AttentionLayer<Scalar> at(run, layer);
  dy.rename("dY, becoming dX");
  const TiledPhase phase{.memory = MemoryPhase::attention_backward,
                         .kind = PhaseKind::attention_backward,
                         .stage = Stage::attention,
                         .weights = "attention weights",
                         .gradients = "attention weight gradients",
                         .streams = !run.keeps_on_wafer()};
  run_replayed_tiles(run, layer, phase, run.stored_x[layer], run.kept_x[layer].data,
                     [&](auto& weights, auto& gradients, const Tile<Scalar>& tile) {
                       run_backward_tile(at, weights, gradients, tile, dy);
                     });
}

template void attention_backward_phase(Run<double>&, std::size_t, Tensor<double>&);
template void attention_backward_phase(Run<float>&, std::size_t, Tensor<float>&);

}  // namespace bta::executor
