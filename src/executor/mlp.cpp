#include "executor/mlp.h"

namespace bta::executor {
namespace {

/// Calls visit for the matrices of the MLP.
void each_matrix(const MlpOperators& mlp, const auto& visit) {
  if (mlp.gated) visit(mlp.gate);
  visit(mlp.up);
  visit(mlp.down);
}

}  // namespace

MlpOperators::MlpOperators(const Machine& machine, std::size_t layer, const MlpNames& n, bool is_gated)
    : names(n),
      gated(is_gated),
      up(machine.find(layer, n.up)),
      activation(machine.find(layer, n.activation)),
      down(machine.find(layer, n.down)) {
  if (gated) gate = machine.find(layer, n.gate);
}

void count_mlp_forward(Machine& machine, const MlpOperators& mlp, std::int64_t tokens) {
  each_matrix(mlp, [&](OperatorRef op) { machine.count_forward(op, tokens); });
  machine.count_forward(mlp.activation, tokens);
}

void count_mlp_gradients(Machine& machine, const MlpOperators& mlp, std::int64_t tokens) {
  each_matrix(mlp, [&](OperatorRef op) { machine.count_gradient(op, tokens, 2); });
  machine.count_gradient(mlp.activation, tokens, 2);
}

void time_mlp_forward(Machine& machine, const MlpOperators& mlp, std::int64_t vectors) {
  each_matrix(mlp, [&](OperatorRef op) { machine.time(op, Pass::forward, vectors); });
}

void time_mlp_gradients(Machine& machine, const MlpOperators& mlp, std::int64_t vectors) {
  each_matrix(mlp, [&](OperatorRef op) {
    machine.time(op, Pass::input_gradient, vectors);
    machine.time(op, Pass::weight_gradient, vectors);
  });
}

template <class Scalar>
void mlp_gate_and_up(Run<Scalar>& run, const MlpOperators& mlp, StageBuffer<Scalar>& weights,
                     ConstView<Scalar> input, View<Scalar> gate, View<Scalar> up) {
  Machine& m = run.machine;
  if (mlp.gated)
    linear<Scalar>(input, weights.linear(mlp.names.gate), gate, Write::over, m.performed(mlp.gate));
  linear<Scalar>(input, weights.linear(mlp.names.up), up, Write::over, m.performed(mlp.up));
}

template <class Scalar>
void mlp_hidden(Run<Scalar>& run, const MlpOperators& mlp, StageBuffer<Scalar>& weights,
                MlpRows<Scalar>& rows) {
  mlp_gate_and_up<Scalar>(run, mlp, weights, rows.input, rows.gate, rows.up);
  activate<Scalar>(rows.gate, rows.up, rows.hidden);
}

template <class Scalar>
void mlp_input_gradients(Run<Scalar>& run, const MlpOperators& mlp, StageBuffer<Scalar>& weights,
                         StageBuffer<Scalar>& gradients, MlpRows<Scalar>& rows, View<Scalar> dinput) {
  activate_gradient<Scalar>(rows.hidden, rows.gate, rows.up);
  const auto back = [&](OperatorRef op, std::string_view name, View<Scalar>& doutput, Write write) {
    Linear<Scalar> dw = gradients.linear(name);
    Flops& done = run.machine.performed(op);
    linear_weight_gradient<Scalar>(rows.input, doutput, dw, done);
    linear_input_gradient<Scalar>(doutput, weights.linear(name), dinput, write, done);
  };
  if (mlp.gated) back(mlp.gate, mlp.names.gate, rows.gate, Write::over);
  back(mlp.up, mlp.names.up, rows.up, mlp.gated ? Write::add : Write::over);
}

#define BTA_MLP(Scalar)                                                                                     \
  template void mlp_gate_and_up(Run<Scalar>&, const MlpOperators&, StageBuffer<Scalar>&, ConstView<Scalar>, \
                                View<Scalar>, View<Scalar>);                                                \
  template void mlp_hidden(Run<Scalar>&, const MlpOperators&, StageBuffer<Scalar>&, MlpRows<Scalar>&);      \
  template void mlp_input_gradients(Run<Scalar>&, const MlpOperators&, StageBuffer<Scalar>&,                \
                                    StageBuffer<Scalar>&, MlpRows<Scalar>&, View<Scalar>);
BTA_MLP(double)
BTA_MLP(float)
#undef BTA_MLP

}  // namespace bta::executor
