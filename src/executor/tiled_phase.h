// A phase in G tiles with its stage's weights resident: attention and dense MLPs, forward and backward.
// Forward, the input of every tile leaves through a transfer buffer while the tile runs; backward, it arrives
// in one while the tile before runs. Two buffers of one tile, taken in turn; none when nothing of the phase
// is streamed. Source: docs/schedule.md.
#pragma once

#include "executor/run.h"

namespace bta::executor {

struct TiledPhase {
  MemoryPhase memory = MemoryPhase::head;
  PhaseKind kind = PhaseKind::fixed;
  Stage stage = Stage::attention;
  std::string_view weights = {};
  std::string_view gradients = {};  // empty: the phase makes none
  bool streams = true;              // the checkpoint of its input
};

/// The rows of a tile: from x_row on in its input `x`, from `row` on in the concatenated tensor.
template <class Scalar>
struct Tile {
  const Matrix<Scalar>& x;
  std::int64_t x_row = 0, row = 0;
};

template <class Scalar>
struct TransferBuffers {
  Tensor<Scalar> first, second;
  Tensor<Scalar>& of(std::int64_t tile) { return tile % 2 == 0 ? first : second; }
};

template <class Scalar>
TransferBuffers<Scalar> transfer_buffers(Run<Scalar>& run, bool streams) {
  if (!streams) return {};
  const auto buffer = [&] { return run.activations("two transfer buffers", run.tile(), run.hidden()); };
  return {buffer(), buffer()};
}

template <class Scalar>
void store_tile(Run<Scalar>& run, TransferBuffers<Scalar>& buffers, const Tensor<Scalar>& x,
                std::int64_t tile, Matrix<Scalar>& stored) {
  run.machine.store_checkpoint(run.tile());
  if (!run.with_data()) return;
  Matrix<Scalar>& buffer = buffers.of(tile).data;
  buffer = x.rows(tile * run.tile(), run.tile());
  stored.middleRows(tile * run.tile(), run.tile()) = buffer;
}

/// Nothing after the last tile.
template <class Scalar>
void load_tile(Run<Scalar>& run, TransferBuffers<Scalar>& buffers, const Matrix<Scalar>& stored,
               std::int64_t tile) {
  if (tile == run.tiles()) return;
  run.machine.load_checkpoint(run.tile());
  if (run.with_data()) buffers.of(tile).data = stored.middleRows(tile * run.tile(), run.tile());
}

/// Calls run_tile(weights, first row) for every tile of x, which it changes in place.
template <class Scalar>
void run_forward_tiles(Run<Scalar>& run, std::size_t layer, const TiledPhase& phase, Tensor<Scalar>& x,
                       Matrix<Scalar>& stored, const auto& run_tile) {
  Machine& m = run.machine;
  m.arena().enter(phase.memory, layer);
  m.begin(phase.kind, layer);
  StageBuffer<Scalar> weights = load_stage(run, layer, phase.stage, phase.weights);
  TransferBuffers<Scalar> buffers = transfer_buffers(run, phase.streams);
  m.beat();
  for (std::int64_t i = 0; i < run.tiles(); ++i) {
    m.arena().step(1);
    if (phase.streams) store_tile(run, buffers, x, i, stored);
    run_tile(weights, i * run.tile());
    m.beat();
  }
  m.arena().leave();
  m.end();
}

/// Calls run_tile(weights, gradients, tile) for every tile of a checkpoint: `stored` off the wafer, or `kept`
/// on it.
template <class Scalar>
void run_replayed_tiles(Run<Scalar>& run, std::size_t layer, const TiledPhase& phase,
                        const Matrix<Scalar>& stored, const Matrix<Scalar>& kept, const auto& run_tile) {
  Machine& m = run.machine;
  m.arena().enter(phase.memory, layer);
  m.begin(phase.kind, layer);
  StageBuffer<Scalar> weights = load_stage(run, layer, phase.stage, phase.weights), gradients;
  if (!phase.gradients.empty()) gradients = gradient_stage(run, layer, phase.stage, phase.gradients);
  TransferBuffers<Scalar> buffers = transfer_buffers(run, phase.streams);
  if (phase.streams) load_tile(run, buffers, stored, 0);
  m.beat();
  for (std::int64_t i = 0; i < run.tiles(); ++i) {
    m.arena().step(1);
    if (phase.streams) load_tile(run, buffers, stored, i + 1);
    const std::int64_t row = i * run.tile();
    run_tile(weights, gradients,
             phase.streams ? Tile<Scalar>{buffers.of(i).data, 0, row} : Tile<Scalar>{kept, row, row});
    m.beat();
  }
  if (!phase.gradients.empty()) store_stage(run, layer, phase.stage, gradients);
  m.arena().leave();
  m.end();
}

}  // namespace bta::executor
