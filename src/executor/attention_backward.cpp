#include "executor/attention_kinds.h"
#include "executor/attention_schedule.h"
#include "executor/tiled_phase.h"

namespace bta::executor {
namespace {

/// [3] of a backward tile: the context again, gradients of rotated q and k and of v.
template <class Scalar>
void attention_gradients(AttentionLayer<Scalar>& at, auto& kind, StageBuffer<Scalar>& weights,
                         StageBuffer<Scalar>& gradients, auto& p, Tensor<Scalar>& context,
                         Tensor<Scalar>& dcontext, auto& d) {
  Run<Scalar>& run = at.run;
  const std::int64_t alive = run.config().wafer.score_tensors_backward;
  std::vector<Tensor<Scalar>> scores = score_tensors(at, alive);
  count_attention(at);
  for (const OperatorRef op : {at.scores, at.softmax, at.context}) run.machine.both_gradients(op, run.tile());
  if (!run.with_data()) return;
  AttentionWork recomputed, done;
  attention_backward<Scalar>(at.shape(alive), at.table, kind.gains(weights), p.with(context, scores),
                             d.with(dcontext, kind.gains(gradients).sinks), recomputed, done);
  run.machine.performed(at.scores) += recomputed.scores + done.scores;
  run.machine.performed(at.context) += recomputed.context + done.context;
}

/// Back through the norm into dY.
template <class Scalar>
void norm_gradient(AttentionLayer<Scalar>& at, StageBuffer<Scalar>& weights, StageBuffer<Scalar>& gradients,
                   const Tile<Scalar>& tile, const Tensor<Scalar>& dnormed, Tensor<Scalar>& dy) {
  Run<Scalar>& run = at.run;
  run.machine.both_gradients(at.norm, run.tile());
  run.each_sequence(run.tile(), [&](auto row, auto n) {
    for (std::int64_t r = row; r < row + n; ++r) {
      Scalar* const d = &dy.data(tile.row + r, 0);
      norm_row_gradient<Scalar>(&tile.x(tile.x_row + r, 0), weights.norm("attention_norm"),
                                &dnormed.data(r, 0), d, d, gradients.norm("attention_norm"), run.hidden());
    }
  });
}

template <class Scalar>
void run_backward_tile(AttentionLayer<Scalar>& at, auto& kind, StageBuffer<Scalar>& weights,
                       StageBuffer<Scalar>& gradients, const Tile<Scalar>& tile, Tensor<Scalar>& dy) {
  Run<Scalar>& run = at.run;
  Arena& arena = run.machine.arena();
  const std::int64_t t = run.tile();
  Tensor<Scalar> normed = normed_tile(at, weights, tile.x, tile.x_row);
  arena.step(2);
  auto p = kind.project(weights, normed, true);
  arena.step(3);
  Tensor<Scalar> context = run.activations("context", t, at.context_width());
  auto d = kind.gradients();
  {
    Tensor<Scalar> dcontext = run.activations("context gradient", t, at.context_width());
    input_gradient<Scalar>(at, at.o_proj, weights, {dy.data, tile.row}, {dcontext.data}, Write::over);
    attention_gradients(at, kind, weights, gradients, p, context, dcontext, d);
  }
  kind.unrotate_and_unnorm(weights, gradients, p, d);
  p.release_scored();
  arena.step(4);
  Tensor<Scalar> dnormed = run.activations("normed input gradient", t, run.hidden());
  project<Scalar>(at, at.o_proj, weights, {context.data}, {dnormed.data});  // replayed; nothing needs it
  weight_gradient<Scalar>(at, at.o_proj, gradients, {context.data}, {dy.data, tile.row});
  kind.input_gradients(weights, gradients, normed, p, d, dnormed);
  norm_gradient(at, weights, gradients, tile, dnormed, dy);
  run.machine.overhead(run.config().wafer.tile_overhead_s);
}

}  // namespace

template <class Scalar>
void attention_backward_phase(Run<Scalar>& run, std::size_t layer, Tensor<Scalar>& dy) {
  dy.rename("dY, becoming dX");
  const TiledPhase phase{.memory = MemoryPhase::attention_backward,
                         .kind = PhaseKind::attention_backward,
                         .stage = Stage::attention,
                         .weights = "attention weights",
                         .gradients = "attention weight gradients",
                         .streams = !run.keeps_on_wafer()};
  with_attention(run, layer, [&](auto& at, auto& kind) {
    run_replayed_tiles(run, layer, phase, run.stored_x[layer], run.kept_x[layer].data,
                       [&](auto& weights, auto& gradients, const Tile<Scalar>& tile) {
                         run_backward_tile(at, kind, weights, gradients, tile, dy);
                       });
  });
}

template void attention_backward_phase(Run<double>&, std::size_t, Tensor<double>&);
template void attention_backward_phase(Run<float>&, std::size_t, Tensor<float>&);

}  // namespace bta::executor
