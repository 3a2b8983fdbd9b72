#include "executor/attention_layer.h"
#include "executor/attention_schedule.h"
#include "executor/tiled_phase.h"

namespace bta::executor {
namespace {

/// [3] Scores, softmax, context of one tile.
template <class Scalar>
Tensor<Scalar> attended(AttentionLayer<Scalar>& at, StageBuffer<Scalar>& weights, Projections<Scalar>& p) {
  Run<Scalar>& run = at.run;
  const std::int64_t alive = run.config().wafer.score_tensors_forward;
  std::vector<Tensor<Scalar>> scores = score_tensors(at, alive);
  Tensor<Scalar> context = run.activations("context", run.tile(), at.context_width());
  count_attention(at);
  if (!run.with_data()) return context;
  AttentionWork done;
  attention_forward<Scalar>(at.shape(alive), at.table, at.gains(weights),
                            {p.q.data, p.k.data, p.v.data, context.data, scores}, done);
  run.machine.performed(at.scores) += done.scores;
  run.machine.performed(at.context) += done.context;
  return context;
}

/// [2] to [4] of a forward tile: adds attention(normed) to the tile of y.
template <class Scalar>
void add_attention(AttentionLayer<Scalar>& at, StageBuffer<Scalar>& weights, Tensor<Scalar> normed,
                   Tensor<Scalar>& y, std::int64_t first_row) {
  Run<Scalar>& run = at.run;
  Arena& arena = run.machine.arena();
  arena.step(2);
  Projections<Scalar> p = projected(at, weights, normed, false);
  normed.release();
  arena.step(3);
  Tensor<Scalar> context = attended(at, weights, p);
  p = {};
  arena.step(4);
  run.machine.forward(at.o_proj, run.tile());
  run.each_sequence(run.tile(), [&](auto row, auto n) {
    linear<Scalar>(context.rows(row, n), weights.linear("o_proj"), y.rows(first_row + row, n), Write::add,
                   run.machine.performed(at.o_proj));
  });
}

/// Attention of the tile of `x` that begins at x_row, added to the rows of `y` from y_row on.
template <class Scalar>
void run_forward_tile(AttentionLayer<Scalar>& at, StageBuffer<Scalar>& weights, const Matrix<Scalar>& x,
                      std::int64_t x_row, Tensor<Scalar>& y, std::int64_t y_row) {
  add_attention(at, weights, normed_tile(at, weights, x, x_row), y, y_row);
  at.run.machine.overhead(at.run.config().wafer.tile_overhead_s);
}

}  // namespace

template <class Scalar>
void attention_forward_phase(Run<Scalar>& run, std::size_t layer, Tensor<Scalar>& x) {
  AttentionLayer<Scalar> at(run, layer);
  x.rename("X, becoming Y");
  if (run.keeps_on_wafer()) run.kept_x[layer] = run.copy(x, "kept X of the layers");
  const TiledPhase phase{.memory = MemoryPhase::attention_forward,
                         .kind = PhaseKind::attention_forward,
                         .stage = Stage::attention,
                         .weights = "attention weights",
                         .streams = !run.keeps_on_wafer()};
  run_forward_tiles(run, layer, phase, x, run.stored_x[layer],
                    [&](auto& weights, auto row) { run_forward_tile(at, weights, x.data, row, x, row); });
}

template <class Scalar>
Tensor<Scalar> attention_recompute_phase(Run<Scalar>& run, std::size_t layer) {
  AttentionLayer<Scalar> at(run, layer);
  Tensor<Scalar> y = run.concatenated("Y");
  const TiledPhase phase{.memory = MemoryPhase::attention_recompute,
                         .kind = PhaseKind::attention_recompute,
                         .stage = Stage::attention,
                         .weights = "attention weights"};
  const auto run_tile = [&](auto& weights, auto&, const Tile<Scalar>& tile) {
    if (run.with_data()) y.rows(tile.row, run.tile()) = tile.x;
    run_forward_tile(at, weights, tile.x, tile.x_row, y, tile.row);
  };
  run_replayed_tiles(run, layer, phase, run.stored_x[layer], {}, run_tile);
  return y;
}

template void attention_forward_phase(Run<double>&, std::size_t, Tensor<double>&);
template void attention_forward_phase(Run<float>&, std::size_t, Tensor<float>&);
template Tensor<double> attention_recompute_phase(Run<double>&, std::size_t);
template Tensor<float> attention_recompute_phase(Run<float>&, std::size_t);

}  // namespace bta::executor
