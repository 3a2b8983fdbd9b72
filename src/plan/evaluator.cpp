#include "plan/evaluator.h"

#include <span>

#include "cost/traffic.h"

namespace bta {
namespace {

template <class Value, class Compute>
const Value& remember(std::unordered_map<std::int64_t, Value>& known, std::int64_t key, Compute compute) {
  const auto found = known.find(key);
  return found != known.end() ? found->second : known.emplace(key, compute()).first->second;
}

/// One layer's or the head's operators of one stage, with their stream and at rows that hold `load` tokens
/// each: the time per slot falls with the slots, so that of `most` slots is below that of any fewer.
double unpadded_seconds(const Problem& problem, std::span<const Operator> ops, PhaseKind kind, double load,
                        double most, double overhead_s) {
  const auto [stage, passes] = phase_rule(kind);
  Timed work = (load / most) * stage_time(ops, stage, most, passes, problem.wafer, problem.workload);
  work.seconds += overhead_s;
  const PhaseTraffic traffic = parameter_traffic(problem, ops, kind);
  return with_stream(work, as_double(traffic.in()), as_double(traffic.out()), problem.wafer).seconds;
}

}  // namespace

double Evaluator::least_batch_seconds(std::int64_t sequences) const {
  const Precision precision = problem_.workload.precision;
  const std::int64_t tokens = product(sequences, problem_.workload.seq_len);
  const double load = as_double(tokens) / as_double(problem_.wafer.rows);
  const double most = row_slots(tokens, problem_.wafer, precision);
  double seconds = 2 * as_double(static_cast<std::int64_t>(problem_.model.layers.size())) *
                   problem_.wafer.layer_overhead_s;
  for (const ProblemLayer& layer : problem_.layers) {
    double of_layer = 0;
    for (const PhaseKind kind : {PhaseKind::router_forward, PhaseKind::router_backward})
      if (!layer.experts.empty())
        of_layer += unpadded_seconds(problem_, layer.operators, kind, load, most, 0);
    for (const PhaseKind kind : {PhaseKind::experts_forward, PhaseKind::experts_backward})
      for (const ExpertGroup& group : layer.experts)
        of_layer += as_double(group.experts) * unpadded_seconds(problem_, layer.operators, kind,
                                                                load * group.probability, most,
                                                                problem_.wafer.expert_overhead_s);
    seconds += as_double(layer.count) * of_layer;
  }
  return seconds + unpadded_seconds(problem_, problem_.head, PhaseKind::head, load,
                                    row_slots(problem_.head_chunk, problem_.wafer, precision), 0);
}

double Evaluator::batch_seconds(std::int64_t sequences) {
  return remember(batch_seconds_, sequences,
                  [&] { return total_seconds(batch_phases(problem_, sequences)); });
}

double Evaluator::tiled_seconds(const std::vector<TileWork>& all_tiles, std::int64_t sequences) const {
  double seconds = 0;
  for (std::size_t i = 0; i < problem_.layers.size(); ++i)
    for (const PhaseTime& phase : tile_phases(problem_, problem_.layers[i], all_tiles[i], sequences))
      seconds += phase.timed.seconds;
  return seconds;
}

const std::vector<TileWork>& Evaluator::tile(std::int64_t tile_batch) {
  return remember(tiles_, tile_batch, [&] {
    const double slots = row_slots(product(tile_batch, problem_.workload.seq_len), problem_.wafer,
                                   problem_.workload.precision);
    std::vector<TileWork> work;
    for (const ProblemLayer& layer : problem_.layers) work.push_back(tile_work(problem_, layer, slots));
    return work;
  });
}

std::int64_t Evaluator::largest_tile_beside(std::int64_t sequences) {
  return remember(largest_tiles_, sequences, [&] {
    return hint_ = last_that(INT64_MAX / 4, hint_, [&](std::int64_t b) { return tile_fits(b, sequences); });
  });
}

Bytes Evaluator::peak(Tiling tiling) {
  const std::int64_t sequences = micro_batch(tiling).value;
  const auto& capacity =
      remember(capacities_, sequences, [&] { return expert_capacities(problem_, sequences); });
  return peak_memory(memory_phases(problem_, {tiling.tile_batch, sequences, capacity})).bytes;
}

bool Evaluator::fits(Tiling tiling) {
  return tile_fits(tiling.tile_batch, micro_batch(tiling).value) && peak(tiling) <= limit_;
}

Candidate Evaluator::candidate(Tiling tiling, const Constraints& constraints) {
  const std::int64_t sequences = micro_batch(tiling).value;
  std::vector<TileWork> all_tiles = tile(tiling.tile_batch);
  for (TileWork& work : all_tiles) work = as_double(tiling.tiles) * work;
  const double step = tiled_seconds(all_tiles, sequences) + batch_seconds(sequences);
  const double filled = filled_fraction(constraints, problem_.workload.wafers, sequences);
  return {tiling, step, filled * tokens_per_s(problem_, sequences, step), peak(tiling)};
}

}  // namespace bta
