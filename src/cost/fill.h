// Fill and drain: by how much a lockstep run exceeds the closed form of a phase. The closed form lets a
// phase's stream and work overlap at any grain. Whole units (a stage's weights, a tile, an expert) in two
// buffers cannot: a phase begins with its first load and ends with its last store. The run is a list of beats
// whose members go on at the same time; a beat takes max(work, in, out) at omega_stream 1, work + max(in,
// out) at 0. W weights in, g gradients out, x one tile's checkpoint, w one tile's work; s, g, w_e one
// expert's:
//
//   tiled, forward    {W}, then G times {w, out x}
//   tiled, recompute  {W + x}, then G times {w, in x}, the last without x
//   tiled, backward   the same, then {out g}
//   shared expert     as tiled without x; router and head: so with G = 1
//   experts forward   {s}, then e = 1..E {w_e, in s, the last without}; Y leaves beside all
//   experts backward  {in Y}, {s}, then e = 1..E {w_e, in s of e+1, out g of e-1}, {out g}
//
// and the moves of compacted placement as beats of work. Never negative: a beat takes at least its work and
// at least its traffic on either channel, so their sum does too. Source: docs/model.md, "Fill and drain".
#pragma once

#include <vector>

#include "cost/expert_time.h"
#include "cost/phases.h"
#include "cost/problem.h"

namespace bta {

/// Seconds of one phase of all layers of one kind.
struct PhaseFill {
  PhaseKind kind = PhaseKind::fixed;
  std::size_t layer = 0;  // kind of layer in the problem; 0 for the head and the fixed overhead
  double serial = 0;      // omega_stream 0
  double overlapped = 0;  // omega_stream 1
  double seconds = 0;     // at the wafer's omega_stream, see docs/model.md
};

/// Phase for phase in the order of step_time().phases, for the same row loads.
std::vector<PhaseFill> fill_and_drain(const Problem& problem, Tiling tiling,
                                      const std::vector<LayerLoads>& loads);
std::vector<PhaseFill> fill_and_drain(const Problem& problem, Tiling tiling);

}  // namespace bta
