// The shared expert of one MoE layer, tile by tile with its weights resident: docs/schedule.md, "MoE forward"
// [4] and "MoE backward" [4]. Its gate, where it has one, scales every token by sigmoid(normed token . gate
// weight).
#pragma once

#include "executor/moe_layer.h"

namespace bta::executor {

/// Adds shared(norm(Y)) to Z.
template <class Scalar>
void shared_expert_forward(MoeLayer<Scalar>& at, const Tensor<Scalar>& y, NormWeights<Scalar> norm_weights,
                           Tensor<Scalar>& z);

/// Adds the gradient of the normed input to `dnormed`.
template <class Scalar>
void shared_expert_backward(MoeLayer<Scalar>& at, const Tensor<Scalar>& y, NormWeights<Scalar> norm_weights,
                            const Tensor<Scalar>& dz, Tensor<Scalar>& dnormed);

}  // namespace bta::executor
