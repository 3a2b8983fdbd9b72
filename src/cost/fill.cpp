#include "cost/fill.h"

#include <algorithm>

#include "cost/fill_parts.h"
#include "cost/step_time.h"
#include "cost/term.h"

namespace bta {
namespace {

using namespace fill_parts;

/// One layer's excess of `run` over `closed`, a function of omega, for `layers` layers.
template <class Closed>
PhaseFill excess(PhaseKind kind, std::size_t layer, double layers, double omega, const Ends& run,
                 Closed closed) {
  const auto at = [&](double w) { return layers * (run.at(w) - closed(w)); };
  const auto t = [&](std::string_view part, double seconds) {
    return term("fill", phase_name(kind), part, seconds);
  };
  return {kind, layer, t("serial", at(0)), t("overlapped", at(1)), t("seconds", at(omega))};
}

PhaseFill experts_fill(const Problem& problem, std::size_t index, PhaseKind kind, std::int64_t sequences,
                       const LayerLoads& loads) {
  const ProblemLayer& layer = problem.layers[index];
  const bool forward = kind == PhaseKind::experts_forward;
  const ForwardBackward moved = expert_moves(problem, layer, product(sequences, problem.workload.seq_len));
  const double moves = forward ? moved.forward.seconds : moved.backward.seconds;
  const Channels y = channels(problem.wafer, phase_traffic(problem, layer, kind, sequences));
  const ExpertBeats beats(problem, layer, kind, loads);
  Ends run = beats.run();
  run.beat(moves, 0, 0);
  run.beat(0, y.checkpoint_in, 0);
  run = {run.serial + y.checkpoint_out, std::max(run.overlapped, y.checkpoint_out)};
  const auto closed = [&](double omega) {
    const double sum = beats.closed(omega) + moves + (1 - omega) * (y.checkpoint_in + y.checkpoint_out);
    return std::max({sum, beats.in() + y.checkpoint_in, beats.out() + y.checkpoint_out});
  };
  return excess(kind, index, as_double(layer.count), problem.wafer.stream_overlap, run, closed);
}

PhaseFill tiled_fill(const Problem& problem, std::size_t index, double layers, const PhaseTraffic& traffic,
                     double work, std::int64_t tiles) {
  const Channels c = channels(problem.wafer, traffic);
  const double count = as_double(tiles);
  return excess(traffic.kind, index, layers, problem.wafer.stream_overlap, tiled_run(c, work, count),
                [&](double omega) { return tiled_closed(c, work, count, omega); });
}

void add_tiled_phases(std::vector<PhaseFill>& fills, const Problem& problem, std::size_t index,
                      Tiling tiling) {
  const ProblemLayer& layer = problem.layers[index];
  const double slots = row_slots(tile_tokens(tiling, problem.workload.seq_len).value, problem.wafer,
                                 problem.workload.precision);
  each_tiled_phase(problem, layer, tile_work(problem, layer, slots), [&](PhaseKind kind, const Timed& work) {
    fills.push_back(tiled_fill(problem, index, as_double(layer.count),
                               phase_traffic(problem, layer, kind, tiling.tile_batch), work.seconds,
                               tiling.tiles));
  });
}

void add_moe_phases(std::vector<PhaseFill>& fills, const Problem& problem, std::size_t index,
                    std::int64_t sequences, const LayerLoads& loads) {
  const ProblemLayer& layer = problem.layers[index];
  const std::int64_t tokens = product(sequences, problem.workload.seq_len);
  for (const PhaseKind kind : {PhaseKind::router_forward, PhaseKind::router_backward})
    fills.push_back(tiled_fill(problem, index, as_double(layer.count),
                               phase_traffic(problem, layer, kind, sequences),
                               router_work(problem, layer, kind, tokens).seconds, 1));
  for (const PhaseKind kind : {PhaseKind::experts_forward, PhaseKind::experts_backward})
    fills.push_back(experts_fill(problem, index, kind, sequences, loads));
}

}  // namespace

std::vector<PhaseFill> fill_and_drain(const Problem& problem, Tiling tiling,
                                      const std::vector<LayerLoads>& loads) {
  const std::int64_t sequences = micro_batch(tiling).value;
  std::vector<PhaseFill> fills;
  for (std::size_t i = 0; i < problem.layers.size(); ++i) add_tiled_phases(fills, problem, i, tiling);
  for (std::size_t i = 0; i < problem.layers.size(); ++i)
    if (!problem.layers[i].experts.empty()) add_moe_phases(fills, problem, i, sequences, loads[i]);
  const double head = head_work(problem, product(sequences, problem.workload.seq_len)).seconds;
  fills.push_back(tiled_fill(problem, 0, 1, head_traffic(problem), head, 1));
  fills.push_back({});
  return fills;
}

std::vector<PhaseFill> fill_and_drain(const Problem& problem, Tiling tiling) {
  return fill_and_drain(problem, tiling, expected_loads(problem, micro_batch(tiling).value));
}

}  // namespace bta
