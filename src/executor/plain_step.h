// One training step of a model by plain loops over tokens, nothing tiled, batched or reordered: the forward
// pass is written once and its gradients come from automatic differentiation (tape.h). Shares with the tiled
// executor only the layout of the weights, so that the two can be compared.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/weights.h"
#include "model/model.h"

namespace bta::executor {

struct PlainResult {
  double loss = 0;                                           // mean cross-entropy over all tokens
  std::vector<double> logits;                                // [N*S][V]
  std::vector<std::vector<std::int64_t>> tokens_per_expert;  // by layer; empty for a dense one
  Weights<double> gradients;
};

/// The loss alone. The batch holds whole sequences of `seq_len` tokens; otherwise std::invalid_argument.
double plain_loss(const Model& model, const Weights<double>& weights, const Batch& batch,
                  std::int64_t seq_len);

PlainResult plain_step(const Model& model, const Weights<double>& weights, const Batch& batch,
                       std::int64_t seq_len);

}  // namespace bta::executor
