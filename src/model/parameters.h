// Exact parameter counts of a model, by part.
//
//   attention  d*(H*dqk + Hkv*(dqk+dv)) + H*dv*d  (+ biases, + H sinks)
//              q/k norm: dqk + dqk, or H*dqk + Hkv*dqk
//
//   latent     d*rq + rq + rq*H*dqk  (rq 0: d*H*dqk)  + d*(rkv+dr) + rkv + rkv*H*(dn+dv) + H*dv*d
//              rq, rkv ranks of q and kv; dn, dr parts of a head not rotated and rotated, dqk = dn + dr
//
//   MLP        3*d*ff gated, 2*d*ff not (+ biases)
//   router     d*E (+ E bias, + E selection bias)
//   experts    E*3*d*f (+ biases), of which a token uses k/E
//   shared     3*d*fs (+ d for its gate)
//   norms      2*d a layer + d at the end; twice that with biases; 1*d a layer when attention and MLP are
//              parallel; 4*d with norms after them
//   embedding  V*d, positions P*d; head V*d unless tied (+ V bias)
//
// active = total - (E-k)*3*d*f per MoE layer. Source: the weight lists of the published checkpoints.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "model/model.h"

namespace bta {

struct ParameterCount {
  std::int64_t embedding = 0;    // V*d
  std::int64_t positions = 0;    // P*d
  std::int64_t output_head = 0;  // V*d, 0 when tied
  std::int64_t attention = 0;    // projections, biases, sinks, q/k norms and norms of latents
  std::int64_t norms = 0;        // layer norms and the final norm
  std::int64_t dense_mlp = 0;
  std::int64_t router = 0;
  std::int64_t shared_experts = 0;
  std::int64_t routed_experts = 0;
  std::int64_t routed_experts_active = 0;

  std::int64_t total() const;
  std::int64_t active() const;
  /// A tied table stays: it is the output head's weight.
  std::int64_t active_without_input_embedding() const;
  bool tied = false;

  std::vector<ModelPart> beside;  // in none of the above
};

/// The parameters alone, in all, exceed 64 bits.
struct ModelTooLarge : std::overflow_error {
  ModelTooLarge() : std::overflow_error("the model is too large to count exactly in 64 bits") {}
};

/// Throws ModelTooLarge.
ParameterCount count_parameters(const Model& model);

/// Bytes of training state: parameters * (weight + gradient + master + moments), the caller's sizes.
std::int64_t training_state_bytes(std::int64_t parameters, std::int64_t bytes_per_parameter);

}  // namespace bta
