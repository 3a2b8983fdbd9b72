// Routed experts one by one, each in passes of at most cap tokens, in the beats of a double buffer: while an
// expert runs, the next one's weights arrive and, backward, the last one's gradients leave. Forward and
// backward take the same course. Source: docs/schedule.md, "MoE forward" [3] and "MoE backward" [3].
#pragma once

#include <algorithm>

#include "executor/moe_layer.h"

namespace bta::executor {

/// A move of all routed tokens' activations, by compacted placement only: a beat of its own.
template <class Scalar>
void move_tokens(MoeLayer<Scalar>& at, void (Machine::*move)(std::int64_t), std::int64_t times) {
  Machine& m = at.run.machine;
  if (m.config().workload.placement != Placement::compacted) return;
  (m.*move)(product(times, at.run.tokens(), at.moe.top_k));
  m.beat();
}

/// Time of one expert; without tokens only its overhead.
template <class Scalar>
void time_expert(MoeLayer<Scalar>& at, const ExpertLoad& load, bool gradients) {
  Machine& m = at.run.machine;
  const Config& config = m.config();
  const std::int64_t vectors = expert_vectors(config.wafer, config.workload, load);
  if (vectors > 0) time_mlp_forward(m, at.expert, vectors);
  if (vectors > 0 && gradients) time_mlp_gradients(m, at.expert, vectors);
  m.overhead(config.wafer.expert_overhead_s);
}

/// Calls run_pass(expert, first token, tokens); `gradients` null in the forward pass.
template <class Scalar>
void run_expert_beats(MoeLayer<Scalar>& at, const std::vector<ExpertLoad>& loads,
                      ExpertBuffers<Scalar>& weights, ExpertBuffers<Scalar>* gradients,
                      const auto& run_pass) {
  Machine& m = at.run.machine;
  const std::int64_t cap = m.config().expert_capacity[at.layer];
  move_tokens(at, &Machine::dispatch, gradients == nullptr ? 1 : 2);
  load_expert(at, weights, 0);
  m.beat();
  for (std::size_t e = 0; e < loads.size(); ++e) {
    if (gradients != nullptr && e > 0) store_expert(at, *gradients, e - 1);
    for (std::int64_t first = 0; first < loads[e].tokens; first += cap)
      run_pass(e, first, std::min(cap, loads[e].tokens - first));
    time_expert(at, loads[e], gradients != nullptr);
    if (e + 1 < loads.size()) load_expert(at, weights, e + 1);
    m.beat();
  }
  if (gradients != nullptr) {
    store_expert(at, *gradients, loads.size() - 1);
    m.beat();
  }
  move_tokens(at, &Machine::combine, 1);
}

}  // namespace bta::executor
