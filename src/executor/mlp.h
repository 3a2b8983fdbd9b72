// What routed experts, shared experts and dense MLPs have in common: gate, up, activation, down on a run of
// tokens, and their gradients. Buffers as docs/schedule.md names them: gate and up become their own
// gradients, hidden becomes its own gradient.
#pragma once

#include "executor/run.h"

namespace bta::executor {

struct MlpNames {
  std::string_view gate, up, activation, down;
};
inline constexpr MlpNames expert_names = {"expert_gate_proj", "expert_up_proj", "expert_activation",
                                          "expert_down_proj"};
inline constexpr MlpNames shared_names = {"shared_gate_proj", "shared_up_proj", "shared_activation",
                                          "shared_down_proj"};
inline constexpr MlpNames dense_names = {"gate_proj", "up_proj", "activation", "down_proj"};

/// The operators of one MLP of a layer.
struct MlpOperators {
  MlpOperators(const Machine& machine, std::size_t layer, const MlpNames& names, bool gated);
  MlpNames names;
  bool gated = true;
  OperatorRef gate, up, activation, down;
};

/// FLOPs and time of `tokens` tokens; the fullest row works through `vectors` vectors.
void count_mlp_forward(Machine& machine, const MlpOperators& mlp, std::int64_t tokens);
void count_mlp_gradients(Machine& machine, const MlpOperators& mlp, std::int64_t tokens);
void time_mlp_forward(Machine& machine, const MlpOperators& mlp, std::int64_t vectors);
void time_mlp_gradients(Machine& machine, const MlpOperators& mlp, std::int64_t vectors);

/// Rows of the four buffers; gate has no columns when the MLP is not gated.
template <class Scalar>
struct MlpRows {
  View<Scalar> input, gate, up, hidden;
};

/// Rows row .. row+n-1 of an MLP's tensors.
template <class Scalar>
MlpRows<Scalar> mlp_rows(Tensor<Scalar>& input, Tensor<Scalar>& gate, Tensor<Scalar>& up,
                         Tensor<Scalar>& hidden, std::int64_t row, std::int64_t n) {
  const bool gated = gate.data.cols() > 0;
  return {input.rows(row, n), gate.rows(gated ? row : 0, gated ? n : 0), up.rows(row, n),
          hidden.rows(row, n)};
}

/// gate and up from the input.
template <class Scalar>
void mlp_gate_and_up(Run<Scalar>& run, const MlpOperators& mlp, StageBuffer<Scalar>& weights,
                     ConstView<Scalar> input, View<Scalar> gate, View<Scalar> up);

/// gate, up, hidden from the input.
template <class Scalar>
void mlp_hidden(Run<Scalar>& run, const MlpOperators& mlp, StageBuffer<Scalar>& weights,
                MlpRows<Scalar>& rows);

/// With the gradient of hidden in its place: the weight gradients of gate and up, and that of the input over
/// `dinput`.
template <class Scalar>
void mlp_input_gradients(Run<Scalar>& run, const MlpOperators& mlp, StageBuffer<Scalar>& weights,
                         StageBuffer<Scalar>& gradients, MlpRows<Scalar>& rows, View<Scalar> dinput);

}  // namespace bta::executor
