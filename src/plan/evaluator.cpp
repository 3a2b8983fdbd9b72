#include "plan/evaluator.h"

namespace bta {
namespace {

template <class Value, class Compute>
const Value& remember(std::unordered_map<std::int64_t, Value>& known, std::int64_t key, Compute compute) {
  const auto found = known.find(key);
  return found != known.end() ? found->second : known.emplace(key, compute()).first->second;
}

}  // namespace

double Evaluator::batch_seconds(std::int64_t sequences) {
  return remember(batch_seconds_, sequences, [&] { return total_seconds(batch_phases(problem_, sequences)); });
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
    const double slots =
        row_slots(product(tile_batch, problem_.workload.seq_len), problem_.wafer, problem_.workload.precision);
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
  const auto& capacity = remember(capacities_, sequences, [&] { return expert_capacities(problem_, sequences); });
  return peak_memory(memory_phases(problem_, {tiling.tile_batch, sequences, capacity})).bytes;
}

bool Evaluator::fits(Tiling tiling) {
  return tile_fits(tiling.tile_batch, micro_batch(tiling).value) && peak(tiling) <= limit_;
}

Candidate Evaluator::candidate(Tiling tiling) {
  const std::int64_t sequences = micro_batch(tiling).value;
  std::vector<TileWork> all_tiles = tile(tiling.tile_batch);
  for (TileWork& work : all_tiles) work = as_double(tiling.tiles) * work;
  const double step = tiled_seconds(all_tiles, sequences) + batch_seconds(sequences);
  return {tiling, step, tokens_per_s(problem_, sequences, step), peak(tiling)};
}

}  // namespace bta
