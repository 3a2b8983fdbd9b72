#include "executor/attention_layer.h"
#include "executor/attention_schedule.h"

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

/// Attention of the tile of `x` that begins at first_row, added to the rows of `y` from y_row on.
template <class Scalar>
void run_forward_tile(AttentionLayer<Scalar>& at, StageBuffer<Scalar>& weights, const Matrix<Scalar>& x,
                      std::int64_t first_row, Tensor<Scalar>& y, std::int64_t y_row) {
  at.run.machine.arena().step(1);
  add_attention(at, weights, normed_tile(at, weights, x, first_row), y, y_row);
  at.run.machine.overhead(at.run.config().wafer.tile_overhead_s);
}

template <class Scalar>
void keep_on_wafer(Run<Scalar>& run, std::size_t layer, const Tensor<Scalar>& x) {
  run.kept_x[layer] = run.concatenated("kept X of the layers");
  run.kept_x[layer].data = x.data;
}

}  // namespace

template <class Scalar>
void attention_forward_phase(Run<Scalar>& run, std::size_t layer, Tensor<Scalar>& x) {
  Machine& m = run.machine;
  AttentionLayer<Scalar> at(run, layer);
  x.rename("X, becoming Y");
  if (run.keeps_on_wafer()) keep_on_wafer(run, layer, x);
  m.arena().enter(MemoryPhase::attention_forward, layer);
  m.begin(PhaseKind::attention_forward, layer);
  StageBuffer<Scalar> weights = load_stage(run, layer, Stage::attention, "attention weights");
  TransferBuffers<Scalar> buffers;
  if (!run.keeps_on_wafer()) buffers = transfer_buffers(run);
  m.beat();
  for (std::int64_t i = 0, row = 0; i < run.tiles(); ++i, row += run.tile()) {
    if (!run.keeps_on_wafer()) store_tile(run, buffers, x, i, run.stored_x[layer]);
    run_forward_tile(at, weights, x.data, row, x, row);
    m.beat();
  }
  m.arena().leave();
  m.end();
}

template <class Scalar>
Tensor<Scalar> attention_recompute_phase(Run<Scalar>& run, std::size_t layer) {
  Machine& m = run.machine;
  AttentionLayer<Scalar> at(run, layer);
  m.arena().enter(MemoryPhase::attention_recompute, layer);
  m.begin(PhaseKind::attention_recompute, layer);
  Tensor<Scalar> y = run.concatenated("Y");
  StageBuffer<Scalar> weights = load_stage(run, layer, Stage::attention, "attention weights");
  TransferBuffers<Scalar> buffers = transfer_buffers(run);
  load_tile(run, buffers, run.stored_x[layer], 0);
  m.beat();
  for (std::int64_t i = 0, row = 0; i < run.tiles(); ++i, row += run.tile()) {
    if (i + 1 < run.tiles()) m.load_checkpoint(run.tile());
    Tensor<Scalar>& x = buffers.of(i);
    if (run.with_data()) y.rows(row, run.tile()) = x.data = run.stored_x[layer].middleRows(row, run.tile());
    run_forward_tile(at, weights, x.data, 0, y, row);
    m.beat();
  }
  m.arena().leave();
  m.end();
  return y;
}

template void attention_forward_phase(Run<double>&, std::size_t, Tensor<double>&);
template void attention_forward_phase(Run<float>&, std::size_t, Tensor<float>&);
template Tensor<double> attention_recompute_phase(Run<double>&, std::size_t);
template Tensor<float> attention_recompute_phase(Run<float>&, std::size_t);

}  // namespace bta::executor
