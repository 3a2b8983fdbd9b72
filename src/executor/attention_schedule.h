// Attention of one layer, tile by tile: docs/schedule.md, "Attention forward", "Attention recompute",
// "Attention backward".
#pragma once

#include "executor/run.h"

namespace bta::executor {

/// X becomes Y in place; X of every tile leaves as a checkpoint, or is kept.
template <class Scalar>
void attention_forward_phase(Run<Scalar>& run, std::size_t layer, Tensor<Scalar>& x);

/// Y again, from the checkpoint X.
template <class Scalar>
Tensor<Scalar> attention_recompute_phase(Run<Scalar>& run, std::size_t layer);

/// dY becomes dX in place.
template <class Scalar>
void attention_backward_phase(Run<Scalar>& run, std::size_t layer, Tensor<Scalar>& dy);

}  // namespace bta::executor
