// The dense MLP of one layer, in place, tile by tile with its weights resident: docs/schedule.md, "Dense
// MLP".
#pragma once

#include "executor/run.h"

namespace bta::executor {

/// Y becomes Z in place; Y of every tile leaves as a checkpoint (XY), or is kept (wafer).
template <class Scalar>
void dense_forward_phase(Run<Scalar>& run, std::size_t layer, Tensor<Scalar>& y);

/// dZ becomes dY in place. `y`: recomputed (X) or kept (wafer); empty when it streams in (XY).
template <class Scalar>
void dense_backward_phase(Run<Scalar>& run, std::size_t layer, Tensor<Scalar> y, Tensor<Scalar>& dz);

}  // namespace bta::executor
