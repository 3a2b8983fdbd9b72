// Output head and cross-entropy in chunks of hc tokens; h becomes its gradient in place: docs/schedule.md,
// "Head".
#pragma once

#include "executor/run.h"

namespace bta::executor {

/// Sets the run's loss, the mean over all tokens, and its logits.
template <class Scalar>
void head_phase(Run<Scalar>& run, Tensor<Scalar>& h);

}  // namespace bta::executor
