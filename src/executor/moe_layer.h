// The MoE part of one layer: docs/schedule.md, "MoE forward" and "MoE backward". Router and routed experts
// see the whole micro-batch of T tokens at once, whatever the tiling of attention.
#pragma once

#include <vector>

#include "executor/mlp.h"
#include "executor/run.h"

namespace bta::executor {

/// Y is given up (kept by checkpoint wafer); the result is Z.
template <class Scalar>
Tensor<Scalar> moe_forward_phase(Run<Scalar>& run, std::size_t layer, Tensor<Scalar> y);

/// Gradient of Z -> gradient of Y. `y` is there already (recomputed or kept), or arrives here (checkpoint
/// XY).
template <class Scalar>
Tensor<Scalar> moe_backward_phase(Run<Scalar>& run, std::size_t layer, Tensor<Scalar> y, Tensor<Scalar> dz);

/// A layer's router and experts with their operators looked up once.
template <class Scalar>
struct MoeLayer {
  MoeLayer(Run<Scalar>& r, std::size_t l);
  Run<Scalar>& run;
  std::size_t layer;
  const MoeMlp& moe;
  OperatorRef norm, router, top_k_softmax, expert_norm, expert_combine;
  MlpOperators expert;
};

/// A token that an expert sees, and which of the token's k choices that is.
struct Routed {
  std::int64_t token = 0, choice = 0;
};

/// Tokens of every expert, in global order; without data the lists are empty and only the loads are known.
struct Routes {
  std::vector<std::vector<Routed>> tokens;
  std::vector<ExpertLoad> loads;
};

/// The layer's state between router and experts, forward and backward.
template <class Scalar>
struct TokenRouting {
  Tensor<Scalar> logits;  // T x E; probabilities in the backward pass
  Tensor<Scalar> top_k;   // T x k: the weight of every choice; its index is in run.choices
  Routes routes;
};

/// [1] Router logits of all tokens under this name, tile by tile; [2] the k largest of every token and their
/// renormalised weights, the logits becoming probabilities. Ends the router's phase.
template <class Scalar>
TokenRouting<Scalar> route(MoeLayer<Scalar>& at, StageBuffer<Scalar>& weights, const Tensor<Scalar>& y,
                           std::string_view name);

/// One expert's tensors for cap tokens.
template <class Scalar>
struct ExpertTensors {
  ExpertTensors(MoeLayer<Scalar>& at, std::string_view hidden_name, std::string_view output_name);
  MlpRows<Scalar> rows(std::int64_t count);
  Tensor<Scalar> input, gate, up, hidden, output;
};

/// Two buffers that experts use in turn.
template <class Scalar>
struct ExpertBuffers {
  ExpertBuffers(MoeLayer<Scalar>& at, std::string_view name, std::int64_t element_bytes);
  StageBuffer<Scalar>& of(std::size_t expert) { return expert % 2 == 0 ? first : second; }
  StageBuffer<Scalar> first, second;
};
template <class Scalar>
void load_expert(MoeLayer<Scalar>& at, ExpertBuffers<Scalar>& buffers, std::size_t expert);
/// Streams an expert's gradients out, adds them to the run's, and leaves zeros.
template <class Scalar>
void store_expert(MoeLayer<Scalar>& at, ExpertBuffers<Scalar>& buffers, std::size_t expert);

/// Gathers and norms the tokens of one pass.
template <class Scalar>
void gather(MoeLayer<Scalar>& at, const std::vector<Routed>& tokens, std::int64_t first, std::int64_t count,
            const Tensor<Scalar>& y, NormWeights<Scalar> norm, Tensor<Scalar>& input);

}  // namespace bta::executor
