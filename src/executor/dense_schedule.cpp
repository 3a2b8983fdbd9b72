#include "executor/dense_schedule.h"

#include "executor/mlp.h"
#include "executor/tiled_phase.h"

namespace bta::executor {
namespace {

template <class Scalar>
struct DenseLayer {
  DenseLayer(Run<Scalar>& r, std::size_t l)
      : run(r),
        layer(l),
        mlp(std::get<DenseMlp>(r.layer(l).feed_forward)),
        norm(r.machine.find(l, "mlp_norm")),
        operators(r.machine, l, dense_names, mlp.gated) {}
  std::int64_t vectors() const {
    return even_vectors(run.tile(), run.config().wafer, run.config().workload.precision);
  }
  Run<Scalar>& run;
  std::size_t layer;
  const DenseMlp& mlp;
  OperatorRef norm;
  MlpOperators operators;
};

template <class Scalar>
struct DenseTensors {
  Tensor<Scalar> input, gate, up, hidden;
  MlpRows<Scalar> rows(std::int64_t row, std::int64_t n) { return mlp_rows(input, gate, up, hidden, row, n); }
};

/// FLOPs and time of a tile's forward.
template <class Scalar>
void count_forward(DenseLayer<Scalar>& at) {
  at.run.machine.forward(at.norm, at.run.tile());
  count_mlp_forward(at.run.machine, at.operators, at.run.tile());
  time_mlp_forward(at.run.machine, at.operators, at.vectors());
}

/// A gate's rows; none when the MLP is not gated.
template <class Scalar>
View<Scalar> gate_rows(Tensor<Scalar>& gate, std::int64_t row, std::int64_t n) {
  return gate.rows(gate.data.cols() > 0 ? row : 0, gate.data.cols() > 0 ? n : 0);
}

/// [1] Norm of a tile of `y`.
template <class Scalar>
void norm_tile(DenseLayer<Scalar>& at, StageBuffer<Scalar>& weights, DenseTensors<Scalar>& tensors,
               const Matrix<Scalar>& y, std::int64_t first) {
  Run<Scalar>& run = at.run;
  tensors.input = run.activations("normed input", run.tile(), run.hidden());
  run.each_sequence(run.tile(), [&](auto row, auto n) {
    norm<Scalar>(y.middleRows(first + row, n), mlp_norm(at.run, at.layer, weights),
                 tensors.input.rows(row, n));
  });
}

/// [2] Gate and up.
template <class Scalar>
void gate_and_up(DenseLayer<Scalar>& at, StageBuffer<Scalar>& weights, DenseTensors<Scalar>& tensors,
                 std::string_view gate, std::string_view up) {
  Run<Scalar>& run = at.run;
  run.machine.arena().step(2);
  if (at.mlp.gated) tensors.gate = run.activations(gate, run.tile(), at.mlp.width);
  tensors.up = run.activations(up, run.tile(), at.mlp.width);
  run.each_sequence(run.tile(), [&](auto row, auto n) {
    mlp_gate_and_up<Scalar>(run, at.operators, weights, tensors.input.rows(row, n),
                            gate_rows(tensors.gate, row, n), tensors.up.rows(row, n));
  });
}

/// [3] Hidden.
template <class Scalar>
void hidden(DenseLayer<Scalar>& at, DenseTensors<Scalar>& tensors, std::string_view name) {
  Run<Scalar>& run = at.run;
  run.machine.arena().step(3);
  tensors.hidden = run.activations(name, run.tile(), at.mlp.width);
  run.each_sequence(run.tile(), [&](auto row, auto n) {
    activate<Scalar>(gate_rows(tensors.gate, row, n), tensors.up.rows(row, n), tensors.hidden.rows(row, n));
  });
}

template <class Scalar>
void run_forward_tile(DenseLayer<Scalar>& at, StageBuffer<Scalar>& weights, Tensor<Scalar>& y,
                      std::int64_t first) {
  Run<Scalar>& run = at.run;
  DenseTensors<Scalar> tensors;
  count_forward(at);
  norm_tile(at, weights, tensors, y.data, first);
  gate_and_up(at, weights, tensors, "gate", "up");
  tensors.input.release();
  hidden(at, tensors, "hidden");
  tensors.gate.release();
  tensors.up.release();
  run.machine.arena().step(4);
  run.each_sequence(run.tile(), [&](auto row, auto n) {
    linear<Scalar>(tensors.hidden.rows(row, n), weights.linear("down_proj"), y.rows(first + row, n),
                   Write::add, run.machine.performed(at.operators.down));
  });
}

/// [4] of one sequence: gradients of down, gate, up and of the normed input; back through the norm into dZ.
template <class Scalar>
void backward_rows(DenseLayer<Scalar>& at, StageBuffer<Scalar>& weights, StageBuffer<Scalar>& gradients,
                   MlpRows<Scalar> rows, ConstView<Scalar> y, View<Scalar> dz, View<Scalar> output) {
  Flops& done = at.run.machine.performed(at.operators.down);
  const Linear<Scalar> down = weights.linear("down_proj");
  Linear<Scalar> ddown = gradients.linear("down_proj");
  linear_weight_gradient<Scalar>(rows.hidden, dz, ddown, done);
  linear_input_gradient<Scalar>(dz, down, rows.hidden, Write::over, done);
  mlp_input_gradients<Scalar>(at.run, at.operators, weights, gradients, rows, output);
  for (Eigen::Index r = 0; r < dz.rows(); ++r)
    norm_row_gradient<Scalar>(y.row(r).data(), mlp_norm(at.run, at.layer, weights), &output(r, 0), &dz(r, 0),
                              &dz(r, 0), mlp_norm(at.run, at.layer, gradients), at.run.hidden());
}

template <class Scalar>
void run_backward_tile(DenseLayer<Scalar>& at, StageBuffer<Scalar>& weights, StageBuffer<Scalar>& gradients,
                       const Tile<Scalar>& tile, Tensor<Scalar>& dz) {
  Run<Scalar>& run = at.run;
  Machine& m = run.machine;
  DenseTensors<Scalar> tensors;
  count_forward(at);
  count_mlp_gradients(m, at.operators, run.tile());
  time_mlp_gradients(m, at.operators, at.vectors());
  m.both_gradients(at.norm, run.tile());
  norm_tile(at, weights, tensors, tile.x, tile.x_row);
  gate_and_up(at, weights, tensors, "gate and its gradient", "up and its gradient");
  hidden(at, tensors, "hidden and its gradient");
  Tensor<Scalar> output = run.activations("output and input gradient", run.tile(), run.hidden());
  run.each_sequence(run.tile(), [&](auto row, auto n) {  // replayed; nothing needs it
    linear<Scalar>(tensors.hidden.rows(row, n), weights.linear("down_proj"), output.rows(row, n), Write::over,
                   m.performed(at.operators.down));
  });
  m.arena().step(4);
  run.each_sequence(run.tile(), [&](auto row, auto n) {
    backward_rows<Scalar>(at, weights, gradients, tensors.rows(row, n),
                          tile.x.middleRows(tile.x_row + row, n), dz.rows(tile.row + row, n),
                          output.rows(row, n));
  });
}

}  // namespace

template <class Scalar>
void dense_forward_phase(Run<Scalar>& run, std::size_t layer, Tensor<Scalar>& y) {
  DenseLayer<Scalar> at(run, layer);
  y.rename("Y, becoming Z");
  if (run.keeps_on_wafer()) run.kept_y[layer] = run.copy(y, "kept Y of the layers");
  const TiledPhase phase{.memory = MemoryPhase::dense_mlp_forward,
                         .kind = PhaseKind::dense_mlp_forward,
                         .stage = Stage::dense_mlp,
                         .weights = "MLP weights",
                         .streams = run.streams_y()};
  run_forward_tiles(run, layer, phase, y, run.stored_y[layer],
                    [&](auto& weights, auto row) { run_forward_tile(at, weights, y, row); });
}

template <class Scalar>
void dense_backward_phase(Run<Scalar>& run, std::size_t layer, Tensor<Scalar> y, Tensor<Scalar>& dz) {
  DenseLayer<Scalar> at(run, layer);
  dz.rename("dZ, becoming dY");
  const TiledPhase phase{.memory = MemoryPhase::dense_mlp_backward,
                         .kind = PhaseKind::dense_mlp_backward,
                         .stage = Stage::dense_mlp,
                         .weights = "MLP weights",
                         .gradients = "MLP weight gradients",
                         .streams = run.streams_y()};
  run_replayed_tiles(run, layer, phase, run.stored_y[layer], y.data,
                     [&](auto& weights, auto& gradients, const Tile<Scalar>& tile) {
                       run_backward_tile(at, weights, gradients, tile, dz);
                     });
}

template void dense_forward_phase(Run<double>&, std::size_t, Tensor<double>&);
template void dense_forward_phase(Run<float>&, std::size_t, Tensor<float>&);
template void dense_backward_phase(Run<double>&, std::size_t, Tensor<double>, Tensor<double>&);
template void dense_backward_phase(Run<float>&, std::size_t, Tensor<float>, Tensor<float>&);

}  // namespace bta::executor
