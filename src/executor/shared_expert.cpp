#include "executor/shared_expert.h"

namespace bta::executor {
namespace {

template <class Scalar>
struct SharedLayer {
  explicit SharedLayer(MoeLayer<Scalar>& at)
      : run(at.run),
        layer(at.layer),
        moe(at.moe),
        norm(run.machine.find(layer, "shared_norm")),
        mlp(run.machine, layer, shared_names, moe.gated) {
    if (moe.shared_gate) gate = run.machine.find(layer, "shared_gate");
  }
  Run<Scalar>& run;
  std::size_t layer;
  const MoeMlp& moe;
  OperatorRef norm, gate;
  MlpOperators mlp;
};

template <class Scalar>
struct SharedTensors {
  explicit SharedTensors(SharedLayer<Scalar>& at) {
    Run<Scalar>& run = at.run;
    const std::int64_t t = run.tile(), fs = at.moe.shared_width;
    input = run.activations("shared expert input", t, run.hidden());
    if (at.moe.gated) gate = run.activations("shared expert gate", t, fs);
    up = run.activations("shared expert up", t, fs);
    hidden = run.activations("shared expert hidden", t, fs);
    if (at.moe.shared_gate) values = run.tensor("shared expert gate values", t, 1, wide_bytes);
  }
  MlpRows<Scalar> rows(std::int64_t row, std::int64_t n) { return mlp_rows(input, gate, up, hidden, row, n); }
  Tensor<Scalar> input, gate, up, hidden, values;
};

template <class Scalar>
void count_forward(SharedLayer<Scalar>& at) {
  Machine& m = at.run.machine;
  const std::int64_t t = at.run.tile();
  m.forward(at.norm, t);
  if (at.moe.shared_gate) m.forward(at.gate, t);
  count_mlp_forward(m, at.mlp, t);
  time_mlp_forward(m, at.mlp, even_vectors(t, m.config().wafer, m.config().workload.precision));
}

template <class Scalar>
void count_gradients(SharedLayer<Scalar>& at) {
  Machine& m = at.run.machine;
  const std::int64_t t = at.run.tile();
  if (at.moe.shared_gate) {
    m.weight_gradient(at.gate, t);
    m.input_gradient(at.gate, t);
  }
  count_mlp_gradients(m, at.mlp, t);
  time_mlp_gradients(m, at.mlp, even_vectors(t, m.config().wafer, m.config().workload.precision));
}

/// Normed input, gate values, hidden of one sequence.
template <class Scalar>
void forward_rows(SharedLayer<Scalar>& at, StageBuffer<Scalar>& weights, SharedTensors<Scalar>& tensors,
                  ConstView<Scalar> y, NormWeights<Scalar> norm_weights, std::int64_t row, std::int64_t n) {
  MlpRows<Scalar> rows = tensors.rows(row, n);
  norm<Scalar>(y, norm_weights, rows.input);
  mlp_hidden(at.run, at.mlp, weights, rows);
  if (!at.moe.shared_gate) return;
  linear<Scalar>(rows.input, weights.linear("shared_gate"), tensors.values.rows(row, n), Write::over,
                 at.run.machine.performed(at.gate));
  for (std::int64_t r = row; r < row + n; ++r) tensors.values.data(r, 0) = sigmoid(tensors.values.data(r, 0));
}

/// Every row times its gate value.
template <class Scalar>
void scale_rows(SharedLayer<Scalar>& at, const SharedTensors<Scalar>& tensors, std::int64_t row,
                View<Scalar> rows) {
  if (!at.moe.shared_gate) return;
  for (Eigen::Index r = 0; r < rows.rows(); ++r) rows.row(r) *= tensors.values.data(row + r, 0);
}

/// Gate values become the gradient of the gate's logits: (dZ . output) * s * (1-s).
template <class Scalar>
void gate_gradient(SharedTensors<Scalar>& tensors, std::int64_t row, ConstView<Scalar> dz,
                   ConstView<Scalar> output) {
  for (Eigen::Index r = 0; r < dz.rows(); ++r) {
    Scalar along = 0, &value = tensors.values.data(row + r, 0);
    for (Eigen::Index i = 0; i < dz.cols(); ++i) along += dz(r, i) * output(r, i);
    value = along * value * (Scalar(1) - value);
  }
}

/// One sequence: recomputed output, gradients of the down projection, of gate, up and of the normed input.
template <class Scalar>
void backward_rows(SharedLayer<Scalar>& at, StageBuffer<Scalar>& weights, StageBuffer<Scalar>& gradients,
                   SharedTensors<Scalar>& tensors, ConstView<Scalar> dz, View<Scalar> dinput,
                   std::int64_t row) {
  Machine& m = at.run.machine;
  MlpRows<Scalar> rows = tensors.rows(row, dz.rows());
  const Linear<Scalar> down = weights.linear(at.mlp.names.down);
  Linear<Scalar> ddown = gradients.linear(at.mlp.names.down);
  linear<Scalar>(rows.hidden, down, dinput, Write::over, m.performed(at.mlp.down));
  scale_rows<Scalar>(at, tensors, row, rows.hidden);
  linear_weight_gradient<Scalar>(rows.hidden, dz, ddown, m.performed(at.mlp.down));
  linear_input_gradient<Scalar>(dz, down, rows.hidden, Write::over, m.performed(at.mlp.down));
  scale_rows<Scalar>(at, tensors, row, rows.hidden);
  if (at.moe.shared_gate) gate_gradient<Scalar>(tensors, row, dz, dinput);
  mlp_input_gradients<Scalar>(at.run, at.mlp, weights, gradients, rows, dinput);
  if (!at.moe.shared_gate) return;
  Linear<Scalar> dgate = gradients.linear("shared_gate");
  const auto dvalues = tensors.values.rows(row, dz.rows());
  linear_weight_gradient<Scalar>(rows.input, dvalues, dgate, m.performed(at.gate));
  linear_input_gradient<Scalar>(dvalues, weights.linear("shared_gate"), dinput, Write::add,
                                m.performed(at.gate));
}

}  // namespace

template <class Scalar>
void shared_expert_forward(MoeLayer<Scalar>& moe, const Tensor<Scalar>& y, NormWeights<Scalar> norm_weights,
                           Tensor<Scalar>& z) {
  Run<Scalar>& run = moe.run;
  SharedLayer<Scalar> at(moe);
  run.machine.begin(PhaseKind::shared_expert_forward, at.layer);
  StageBuffer<Scalar> weights = load_stage(run, at.layer, Stage::shared_expert, "shared expert weights");
  run.machine.beat();
  for (std::int64_t first = 0; first < run.tokens(); first += run.tile()) {
    SharedTensors<Scalar> tensors(at);
    count_forward(at);
    run.each_sequence(run.tile(), [&](auto row, auto n) {
      forward_rows<Scalar>(at, weights, tensors, y.rows(first + row, n), norm_weights, row, n);
      scale_rows<Scalar>(at, tensors, row, tensors.hidden.rows(row, n));
      linear<Scalar>(tensors.hidden.rows(row, n), weights.linear(at.mlp.names.down), z.rows(first + row, n),
                     Write::add, run.machine.performed(at.mlp.down));
    });
    run.machine.beat();
  }
  run.machine.end();
}

template <class Scalar>
void shared_expert_backward(MoeLayer<Scalar>& moe, const Tensor<Scalar>& y, NormWeights<Scalar> norm_weights,
                            const Tensor<Scalar>& dz, Tensor<Scalar>& dnormed) {
  Run<Scalar>& run = moe.run;
  SharedLayer<Scalar> at(moe);
  run.machine.begin(PhaseKind::shared_expert_backward, at.layer);
  StageBuffer<Scalar> weights = load_stage(run, at.layer, Stage::shared_expert, "shared expert weights");
  StageBuffer<Scalar> gradients =
      gradient_stage(run, at.layer, Stage::shared_expert, "shared expert weight gradients");
  run.machine.beat();
  for (std::int64_t first = 0; first < run.tokens(); first += run.tile()) {
    SharedTensors<Scalar> tensors(at);
    Tensor<Scalar> dinput = run.activations("shared expert input gradient", run.tile(), run.hidden());
    count_forward(at);
    count_gradients(at);
    run.each_sequence(run.tile(), [&](auto row, auto n) {
      forward_rows<Scalar>(at, weights, tensors, y.rows(first + row, n), norm_weights, row, n);
      backward_rows<Scalar>(at, weights, gradients, tensors, dz.rows(first + row, n), dinput.rows(row, n),
                            row);
      dnormed.rows(first + row, n) += dinput.rows(row, n);
    });
    run.machine.beat();
  }
  store_stage(run, at.layer, Stage::shared_expert, gradients);
  run.machine.end();
}

#define BTA_SHARED(Scalar)                                                                            \
  template void shared_expert_forward(MoeLayer<Scalar>&, const Tensor<Scalar>&, NormWeights<Scalar>,  \
                                      Tensor<Scalar>&);                                               \
  template void shared_expert_backward(MoeLayer<Scalar>&, const Tensor<Scalar>&, NormWeights<Scalar>, \
                                       const Tensor<Scalar>&, Tensor<Scalar>&);
BTA_SHARED(double)
BTA_SHARED(float)
#undef BTA_SHARED

}  // namespace bta::executor
