// Time of one micro-batch step, phase by phase, read off the schedule in docs/schedule.md.
//
//   attention phase  combine([G*(tile(B) + tile overhead), max(in, out)], omega_stream)
//                    weights streamed once a pass
//
//   router           the same on T tokens at once
//
//   experts          sum of E[h]; checkpoint Y adds (1 - omega_stream)*x/bandwidth
//                    never below a channel's own time
//
//   dense, shared    G chunks of one tile, weights resident, streamed once a pass
//
//   head             chunks of hc tokens, forward and both gradients
//                    weight in and gradient out once
//
//   fixed            layer overhead * L * 2
//
// A step splits into a part that depends on the tiling (B, G) and a part that depends on N = B*G only and
// never falls when N rises: the search builds its bound on that.
//
// tokens/s = wafers * N*S / step. Source: docs/model.md, "Time".
#pragma once

#include <cstdint>
#include <vector>

#include "cost/expert_time.h"
#include "cost/phases.h"
#include "cost/problem.h"
#include "cost/roofline.h"

namespace bta {

/// What a phase runs and streams: one row for each kind of phase.
struct PhaseRule {
  Stage stage = Stage::head;
  Passes passes;
};
PhaseRule phase_rule(PhaseKind kind);

/// One phase of all layers of one kind.
struct PhaseTime {
  PhaseKind kind = PhaseKind::fixed;
  Timed timed;
  std::int64_t deepest = 0;  // 1-based position of the last layer of its kind; 0: of no layer
};

/// On-wafer time of the tiled stages of one layer: attention, and the dense or shared MLP.
struct TileWork {
  ForwardBackward attention;
  ForwardBackward mlp;  // zero when the layer has neither
  TileWork& operator+=(const TileWork& other);
};
TileWork operator*(double factor, TileWork work);

/// Calls visit(kind, its part of `work`) for every tiled phase of a layer like this one, in the order of a
/// step.
void each_tiled_phase(const Problem& problem, const ProblemLayer& layer, const TileWork& work,
                      const auto& visit) {
  using enum PhaseKind;
  visit(attention_forward, work.attention.forward);
  if (std::holds_alternative<DenseMlp>(layer.layer.feed_forward)) {
    visit(dense_mlp_forward, work.mlp.forward);
    visit(dense_mlp_backward, work.mlp.backward);
  } else if (stage_parameters(layer.operators, Stage::shared_expert) > 0) {
    visit(shared_expert_forward, work.mlp.forward);
    visit(shared_expert_backward, work.mlp.backward);
  }
  if (problem.workload.checkpoint == Checkpoint::X) visit(attention_recompute, work.attention.forward);
  visit(attention_backward, work.attention.backward);
}

/// One tile at `slots` token slots per row, with the tile overhead.
TileWork tile_work(const Problem& problem, const ProblemLayer& layer, double slots);

/// The tiled phases of all layers like this one; `all_tiles` is the work of one layer's whole micro-batch.
std::vector<PhaseTime> tile_phases(const Problem& problem, const ProblemLayer& layer,
                                   const TileWork& all_tiles, std::int64_t sequences);

/// On-wafer work of one layer's router on T tokens, and of the head on T tokens, in chunks.
Timed router_work(const Problem& problem, const ProblemLayer& layer, PhaseKind kind, std::int64_t tokens);
Timed head_work(const Problem& problem, std::int64_t tokens);

/// Expected row loads at N sequences: one entry for each of the problem's layers, empty for a dense one.
std::vector<LayerLoads> expected_loads(const Problem& problem, std::int64_t sequences);

/// The phases that depend on N only: routers, experts, head, fixed overhead; at the given row loads, or at
/// the expected ones.
std::vector<PhaseTime> batch_phases(const Problem& problem, std::int64_t sequences,
                                    const std::vector<LayerLoads>& loads);
std::vector<PhaseTime> batch_phases(const Problem& problem, std::int64_t sequences);

double total_seconds(const std::vector<PhaseTime>& phases);

struct StepTime {
  double seconds = 0;
  ResourceTimes busy;
  std::vector<PhaseTime> phases;  // kinds of layers in order, then the batch phases
};
/// At the row loads that a run had, one entry for each of the problem's layers; or at the expected ones.
StepTime step_time(const Problem& problem, Tiling tiling, const std::vector<LayerLoads>& loads);
StepTime step_time(const Problem& problem, Tiling tiling);

double tokens_per_s(const Problem& problem, std::int64_t sequences, double step_s);

}  // namespace bta
