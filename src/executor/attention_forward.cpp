#include "executor/attention_kinds.h"
#include "executor/attention_schedule.h"
#include "executor/tiled_phase.h"

namespace bta::executor {
namespace {

/// [3] Scores, softmax, context of one tile.
template <class Scalar>
Tensor<Scalar> attended(AttentionLayer<Scalar>& at, auto& kind, StageBuffer<Scalar>& weights, auto& p) {
  Run<Scalar>& run = at.run;
  const std::int64_t alive = run.config().wafer.score_tensors_forward;
  std::vector<Tensor<Scalar>> scores = score_tensors(at, alive);
  Tensor<Scalar> context = run.activations("context", run.tile(), at.context_width());
  count_attention(at);
  if (!run.with_data()) return context;
  AttentionWork done;
  attention_forward<Scalar>(at.shape(alive), at.table, kind.gains(weights), p.with(context, scores), done);
  run.machine.performed(at.scores) += done.scores;
  run.machine.performed(at.context) += done.context;
  return context;
}

/// [2] to [4] of a forward tile: adds attention(normed) to the tile of y.
template <class Scalar>
void add_attention(AttentionLayer<Scalar>& at, auto& kind, StageBuffer<Scalar>& weights,
                   Tensor<Scalar> normed, Tensor<Scalar>& y, std::int64_t first_row) {
  Arena& arena = at.run.machine.arena();
  arena.step(2);
  auto p = kind.project(weights, normed, false);
  normed.release();
  p.release_before_scores();
  arena.step(3);
  Tensor<Scalar> context = attended(at, kind, weights, p);
  p = {};
  arena.step(4);
  project<Scalar>(at, at.o_proj, weights, {context.data}, {y.data, first_row}, Write::add);
}

/// Attention of the tile of `x` that begins at x_row, added to the rows of `y` from y_row on.
template <class Scalar>
void run_forward_tile(AttentionLayer<Scalar>& at, auto& kind, StageBuffer<Scalar>& weights,
                      const Matrix<Scalar>& x, std::int64_t x_row, Tensor<Scalar>& y, std::int64_t y_row) {
  add_attention(at, kind, weights, normed_tile(at, weights, x, x_row), y, y_row);
  at.run.machine.overhead(at.run.config().wafer.tile_overhead_s);
}

}  // namespace

template <class Scalar>
void attention_forward_phase(Run<Scalar>& run, std::size_t layer, Tensor<Scalar>& x) {
  x.rename("X, becoming Y");
  if (run.keeps_on_wafer()) run.kept_x[layer] = run.copy(x, "kept X of the layers");
  const TiledPhase phase{.memory = MemoryPhase::attention_forward,
                         .kind = PhaseKind::attention_forward,
                         .stage = Stage::attention,
                         .weights = "attention weights",
                         .streams = !run.keeps_on_wafer()};
  with_attention(run, layer, [&](auto& at, auto& kind) {
    run_forward_tiles(run, layer, phase, x, run.stored_x[layer], [&](auto& weights, auto row) {
      run_forward_tile(at, kind, weights, x.data, row, x, row);
    });
  });
}

template <class Scalar>
Tensor<Scalar> attention_recompute_phase(Run<Scalar>& run, std::size_t layer) {
  Tensor<Scalar> y = run.concatenated("Y");
  const TiledPhase phase{.memory = MemoryPhase::attention_recompute,
                         .kind = PhaseKind::attention_recompute,
                         .stage = Stage::attention,
                         .weights = "attention weights"};
  with_attention(run, layer, [&](auto& at, auto& kind) {
    const auto run_tile = [&](auto& weights, auto&, const Tile<Scalar>& tile) {
      if (run.with_data()) y.rows(tile.row, run.tile()) = tile.x;
      run_forward_tile(at, kind, weights, tile.x, tile.x_row, y, tile.row);
    };
    run_replayed_tiles(run, layer, phase, run.stored_x[layer], {}, run_tile);
  });
  return y;
}

template void attention_forward_phase(Run<double>&, std::size_t, Tensor<double>&);
template void attention_forward_phase(Run<float>&, std::size_t, Tensor<float>&);
template Tensor<double> attention_recompute_phase(Run<double>&, std::size_t);
template Tensor<float> attention_recompute_phase(Run<float>&, std::size_t);

}  // namespace bta::executor
