#include "executor/run.h"

#include <algorithm>
#include <stdexcept>

namespace bta::executor {
namespace {

template <class Values>
auto& stage_values(Values& weights, std::size_t layer, Stage stage) {
  return stage == Stage::head ? weights.head : weights.layers[layer].of(stage);
}

template <class Scalar>
StageBuffer<Scalar> stage_buffer(Run<Scalar>& run, std::size_t layer, Stage stage, std::string_view name,
                                 std::int64_t element_bytes) {
  std::vector<Slice> parts = slices(run.machine.operators(layer), stage);
  const std::int64_t size = total_size(parts);
  return {run.tensor(name, 1, size, element_bytes), std::move(parts)};
}

}  // namespace

template <class Scalar>
const Slice& StageBuffer<Scalar>::part(std::string_view name) const {
  const auto found = std::ranges::find(parts, name, &Slice::name);
  if (found == parts.end()) throw std::logic_error("no such part of a stage: " + std::string(name));
  return *found;
}

template <class Scalar>
Linear<Scalar> StageBuffer<Scalar>::linear(std::string_view name) {
  const Slice& slice = part(name);
  return {Eigen::Map<Matrix<Scalar>>(at(slice.offset), slice.inputs, slice.outputs),
          slice.bias ? at(slice.bias_offset()) : nullptr};
}

template <class Scalar>
NormWeights<Scalar> StageBuffer<Scalar>::norm(std::string_view name) {
  const Slice& slice = part(name);
  return {at(slice.offset), slice.bias ? at(slice.bias_offset()) : nullptr};
}

template <class Scalar>
StageBuffer<Scalar> load_stage(Run<Scalar>& run, std::size_t layer, Stage stage, std::string_view name) {
  StageBuffer<Scalar> buffer = stage_buffer(run, layer, stage, name, run.config().workload.bytes.weight);
  run.machine.load_weights(buffer.parameters());
  if (run.with_data()) std::ranges::copy(stage_values(*run.weights, layer, stage), buffer.at(0));
  return buffer;
}

template <class Scalar>
StageBuffer<Scalar> gradient_stage(Run<Scalar>& run, std::size_t layer, Stage stage, std::string_view name) {
  StageBuffer<Scalar> buffer = stage_buffer(run, layer, stage, name, wide_bytes);
  buffer.tensor.data.setZero();
  return buffer;
}

template <class Scalar>
void store_stage(Run<Scalar>& run, std::size_t layer, Stage stage, StageBuffer<Scalar>& gradients) {
  run.machine.store_gradients(gradients.parameters());
  if (run.with_data()) add_gradients(gradients, stage_values(*run.gradients, layer, stage));
}

#define BTA_RUN(Scalar)                                                                            \
  template struct StageBuffer<Scalar>;                                                             \
  template StageBuffer<Scalar> load_stage(Run<Scalar>&, std::size_t, Stage, std::string_view);     \
  template StageBuffer<Scalar> gradient_stage(Run<Scalar>&, std::size_t, Stage, std::string_view); \
  template void store_stage(Run<Scalar>&, std::size_t, Stage, StageBuffer<Scalar>&);
BTA_RUN(double)
BTA_RUN(float)
#undef BTA_RUN

}  // namespace bta::executor
