// The weights of a model, and equally their gradients, as the wafer streams them: one flat vector for each
// stage of a layer, one for each expert, one for the head. Within a vector the operators follow in the order
// of the operator list; a matrix is [inputs][outputs], row after row, its bias follows it; q/k norm holds the
// gain of the queries, then of the keys.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cost/operators.h"
#include "model/model.h"

namespace bta::executor {

inline constexpr std::size_t stage_count = 6;

/// Where an operator's parameters lie in the vector of its stage.
struct Slice {
  std::string_view name;
  std::int64_t offset = 0;
  std::int64_t inputs = 0;   // of a matrix; 0 for a gain
  std::int64_t outputs = 0;  // of a matrix, or the number of gains
  bool bias = false;         // `outputs` values after the matrix or the gains

  std::int64_t matrix_size() const { return inputs == 0 ? outputs : inputs * outputs; }
  std::int64_t bias_offset() const { return offset + matrix_size(); }
  std::int64_t size() const { return matrix_size() + (bias ? outputs : 0); }
};

/// The operators of one stage that have parameters.
std::vector<Slice> slices(const std::vector<Operator>& operators, Stage stage);
std::int64_t total_size(const std::vector<Slice>& slices);

template <class Scalar>
struct LayerWeights {
  std::array<std::vector<Scalar>, stage_count> stages;  // by Stage; Stage::expert stays empty
  std::vector<std::vector<Scalar>> experts;

  std::vector<Scalar>& of(Stage stage) { return stages[static_cast<std::size_t>(stage)]; }
  const std::vector<Scalar>& of(Stage stage) const { return stages[static_cast<std::size_t>(stage)]; }
};

template <class Scalar>
struct Weights {
  std::vector<Scalar>
      embedding;  // [V][d]; empty when tied: then row t of the embedding is column t of lm_head
  std::vector<LayerWeights<Scalar>> layers;
  std::vector<Scalar> head;  // final_norm, lm_head [d][V] and its bias
};

/// All zero, of the model's sizes.
template <class Scalar>
Weights<Scalar> zero_weights(const Model& model);

/// Matrices, biases and embedding uniform in +-1/sqrt(inputs), gains in 1 +- 1/4, from a seeded generator:
/// the same everywhere.
Weights<double> random_weights(const Model& model, std::uint64_t seed);

template <class To, class From>
Weights<To> converted(const Weights<From>& weights);

/// One named run of values, to compare and to disturb weights and gradients kind by kind.
struct NamedSpan {
  std::string name;  // "layer 0 q_proj", "layer 1 expert 3 expert_up_proj", "embedding", "lm_head"
  std::vector<double>* values = nullptr;
  std::int64_t offset = 0, size = 0;
};
std::vector<NamedSpan> named_spans(Weights<double>& weights, const Model& model);

/// N sequences of S tokens and for each the token to predict, in global order.
struct Batch {
  std::vector<std::int64_t> tokens, targets;
};
Batch random_batch(const Model& model, std::int64_t sequences, std::int64_t seq_len, std::uint64_t seed);

}  // namespace bta::executor
