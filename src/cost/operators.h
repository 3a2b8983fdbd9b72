// The operators of a layer and of the output head, in the order in which a forward pass runs them.
// The one list behind FLOPs, time, traffic and the executor. A new kind of layer adds rows here.
//
// FLOPs of one forward run (1 multiply-add = 2 FLOPs):
//   Gemm             2*i*o per token                    weights [i][o], streamed in
//   AttentionProduct 2*H*dim per (query, key) pair      scores: dim = dqk, context: dim = dv
//   TokenVector      c*elements per token               norms, rotary embedding, activation
//   PairVector       c*H per pair                       softmax
// c, the stated count per element: norm 4 (7 with a bias: centred), rotary 3, softmax 5, silu*up 5,
// top-k softmax 5, scale-and-add 2.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "model/model.h"

namespace bta {

/// The part of a step an operator runs in: decides its batch and how its weights stream.
enum class Stage { attention, router, expert, shared_expert, dense_mlp, head };

struct Gemm {
  std::int64_t inputs = 0;   // i
  std::int64_t outputs = 0;  // o
};
struct AttentionProduct {
  std::int64_t heads = 0;
  std::int64_t head_dim = 0;
  std::optional<Window> window = std::nullopt;  // of a causal mask; absent: all keys before the query
};
struct TokenVector {
  std::int64_t elements = 0;
  std::int64_t flops_per_element = 0;
  bool bias = false;  // of the last half of its parameters: a LayerNorm
};
struct PairVector {
  std::int64_t heads = 0;
  std::int64_t flops_per_element = 0;
  std::optional<Window> window = std::nullopt;
};
using Work = std::variant<Gemm, AttentionProduct, TokenVector, PairVector>;

enum class FlopClass { gemm, attention, vector };

struct Operator {
  std::string_view name;
  Stage stage = Stage::attention;
  Work work;
  std::int64_t parameters =
      0;  // streamed with the operator: weights, biases, gains; of one expert in Stage::expert
  bool differentiated = true;  // false: run again, but its gradient is taken once, in another operator
  std::int64_t replays = 1;    // forward runs in a phase that makes gradients
};

FlopClass flop_class(const Operator& op);

std::vector<Operator> layer_operators(const Layer& layer, std::int64_t hidden);
std::vector<Operator> head_operators(const Model& model);

}  // namespace bta
