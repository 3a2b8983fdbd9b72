// One run of the schedule: the machine that counts, and the data when there is any. The same code runs with
// data (double or float) and without (shape only); a kernel is called only with data.
#pragma once

#include <functional>
#include <vector>

#include "executor/attention_kernel.h"
#include "executor/machine.h"
#include "executor/weights.h"

namespace bta::executor {

/// Loads of every expert of a layer, for runs whose router has no data.
using LoadSource = std::function<std::vector<ExpertLoad>(std::size_t layer)>;

/// Bytes of what is kept wider than activations: logits, probabilities, accumulated gradients, row scales.
inline constexpr std::int64_t wide_bytes = 4;
/// Index and weight of a routed token.
inline constexpr std::int64_t top_k_bytes = 8;

template <class Scalar>
struct Run {
  Machine& machine;
  const Weights<Scalar>* weights = nullptr;  // null: shape only
  const Batch* batch = nullptr;
  Weights<Scalar>* gradients = nullptr;
  LoadSource loads;

  std::vector<Matrix<Scalar>> stored_x, stored_y;  // checkpoints off the wafer, by layer
  std::vector<Tensor<Scalar>> kept_x, kept_y;      // checkpoints on the wafer, by layer
  Matrix<Scalar> logits;                           // of all tokens, copied for those who compare
  std::vector<std::vector<std::int64_t>> choices;  // by layer: experts of every token, k each
  double loss = 0;

  const Config& config() const { return machine.config(); }
  bool with_data() const { return weights != nullptr; }
  std::int64_t hidden() const { return config().model.hidden; }
  std::int64_t activation() const { return config().workload.bytes.activation; }
  std::int64_t tile() const { return product(config().tiling.tile_batch, config().workload.seq_len); }
  std::int64_t tiles() const { return config().tiling.tiles; }
  std::int64_t tokens() const { return product(tile(), tiles()); }
  const Layer& layer(std::size_t l) const { return config().model.layers[l]; }
  bool keeps_on_wafer() const { return config().workload.checkpoint == Checkpoint::wafer; }
  bool streams_y() const { return config().workload.checkpoint == Checkpoint::XY; }

  Tensor<Scalar> tensor(std::string_view name, std::int64_t rows, std::int64_t columns, std::int64_t bytes) {
    return Tensor<Scalar>(machine.arena(), name, {rows, columns, bytes}, with_data());
  }
  Tensor<Scalar> activations(std::string_view name, std::int64_t rows, std::int64_t columns) {
    return tensor(name, rows, columns, activation());
  }
  /// A sum to be added to.
  Tensor<Scalar> zeros(std::string_view name, std::int64_t rows, std::int64_t columns, std::int64_t bytes) {
    Tensor<Scalar> sum = tensor(name, rows, columns, bytes);
    sum.data.setZero();
    return sum;
  }
  Tensor<Scalar> concatenated(std::string_view name) { return activations(name, tokens(), hidden()); }
  /// A concatenated tensor again.
  Tensor<Scalar> copy(const Tensor<Scalar>& tensor, std::string_view name) {
    Tensor<Scalar> result = concatenated(name);
    result.data = tensor.data;
    return result;
  }
  /// Calls kernel(first row, rows) for every sequence of the `rows` first rows; only with data.
  void each_sequence(std::int64_t rows, const auto& kernel) const {
    if (!with_data()) return;
    for (std::int64_t row = 0; row < rows; row += config().workload.seq_len)
      kernel(row, config().workload.seq_len);
  }
};

/// Weights, or gradients, of one stage of a layer while they are on the wafer.
template <class Scalar>
struct StageBuffer {
  Tensor<Scalar> tensor;
  std::vector<Slice> parts;

  std::int64_t parameters() const { return total_size(parts); }
  const Slice& part(std::string_view name) const;
  /// Null without data.
  Scalar* at(std::int64_t offset) { return tensor.data.size() == 0 ? nullptr : tensor.data.data() + offset; }
  Scalar* gain(std::string_view name) { return at(part(name).offset); }
  NormWeights<Scalar> norm(std::string_view name);
  Linear<Scalar> linear(std::string_view name);
};

/// The MLP's norm; of a parallel layer it has no parameters.
template <class Scalar>
NormWeights<Scalar> mlp_norm(const Run<Scalar>& run, std::size_t layer, StageBuffer<Scalar>& stage) {
  return run.layer(layer).parallel ? NormWeights<Scalar>{} : stage.norm("mlp_norm");
}

/// Allocates room for a stage's parameters and streams them in.
template <class Scalar>
StageBuffer<Scalar> load_stage(Run<Scalar>& run, std::size_t layer, Stage stage, std::string_view name);
/// Allocates the accumulators of its gradients, zero.
template <class Scalar>
StageBuffer<Scalar> gradient_stage(Run<Scalar>& run, std::size_t layer, Stage stage, std::string_view name);
/// Streams the gradients out and adds them to the run's.
template <class Scalar>
void store_stage(Run<Scalar>& run, std::size_t layer, Stage stage, StageBuffer<Scalar>& gradients);

/// Adds the gradients to a vector of the run's.
template <class Scalar>
void add_gradients(StageBuffer<Scalar>& gradients, std::vector<Scalar>& sum) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += *gradients.at(static_cast<std::int64_t>(i));
}

}  // namespace bta::executor
