#include "verify/derived.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cost/memory.h"
#include "cost/roofline.h"
#include "cost/row_load.h"
#include "executor/fabric.h"
#include "executor/load_source.h"
#include "verify/setup.h"

namespace bta::verify {
namespace {

constexpr double probability_tolerance = 1e-9;
constexpr std::int64_t target = 4096;  // tokens of a head chunk

/// P(X = m), m = 0..n, X ~ Binomial(n, p): one token after the other.
std::vector<double> binomial(std::int64_t n, double p) {
  std::vector<double> mass{1};
  for (std::int64_t token = 0; token < n; ++token) {
    mass.push_back(0);
    for (std::size_t m = mass.size(); m-- > 0;) mass[m] = mass[m] * (1 - p) + (m == 0 ? 0 : mass[m - 1] * p);
  }
  return mass;
}

/// P(X <= m), m = 0..n.
std::vector<double> summed(std::vector<double> mass) {
  for (std::size_t m = 1; m < mass.size(); ++m) mass[m] += mass[m - 1];
  return mass;
}

double within(const std::vector<double>& sums, std::int64_t m) {
  return sums[static_cast<std::size_t>(std::min(m, static_cast<std::int64_t>(sums.size()) - 1))];
}

using Distribution = std::map<std::int64_t, double>;  // token slots of the deciding row -> probability

/// Of the fullest row: every row within m.
Distribution masked(std::int64_t tokens, double p, const Problem& problem) {
  const std::int64_t rows = problem.wafer.rows, fuller = tokens % rows;
  const std::vector<double> less = summed(binomial(tokens / rows, p)),
                            more = summed(binomial(tokens / rows + 1, p));
  Distribution vectors;
  double below = 0;
  for (std::int64_t m = 0; m <= tokens / rows + 1; ++m) {
    const double all =
        std::pow(within(less, m), as_double(rows - fuller)) * std::pow(within(more, m), as_double(fuller));
    vectors[executor::row_vectors(m, problem.wafer, problem.workload.precision)] += all - below;
    below = all;
  }
  return vectors;
}

Distribution compacted(std::int64_t tokens, double p, const Problem& problem) {
  const std::vector<double> mass = binomial(tokens, p);
  Distribution vectors;
  for (std::size_t n = 0; n < mass.size(); ++n)
    vectors[executor::even_vectors(static_cast<std::int64_t>(n), problem.wafer,
                                   problem.workload.precision)] += mass[n];
  return vectors;
}

/// Vectors become slots.
Distribution in_slots(const Distribution& vectors, std::int64_t v) {
  Distribution slots;
  for (const auto& [count, probability] : vectors) slots[count * v] = probability;
  return slots;
}

void compare_distribution(Comparison& comparison, const Problem& problem, std::int64_t tokens, double p,
                          std::size_t expert) {
  const bool rows = problem.workload.placement == Placement::masked;
  const std::int64_t v = vector_width(problem.wafer, problem.workload.precision);
  Distribution expected = in_slots(rows ? masked(tokens, p, problem) : compacted(tokens, p, problem), v);
  Distribution found;
  for (const auto& [slots, probability] : slot_distribution(tokens, p, problem.wafer, problem.workload))
    found[std::llround(slots)] += probability;
  for (const auto& [slots, probability] : found) expected.try_emplace(slots, 0);
  for (const auto& [slots, probability] : expected)
    comparison.near(fmt::format("expert {}, {}, {} slots", expert, rows ? "masked" : "compacted", slots),
                    probability, found.contains(slots) ? found[slots] : 0, 1);
}

/// The smallest buffer that no expert of any layer exceeds with probability q; at least one token.
std::int64_t smallest_capacity(std::int64_t tokens, double p, double tail) {
  const std::vector<double> mass = binomial(tokens, p);
  double above = 0;
  std::int64_t capacity = tokens;
  while (capacity > 1 && above + mass[static_cast<std::size_t>(capacity)] <= tail)
    above += mass[static_cast<std::size_t>(capacity--)];
  return capacity;
}

void compare_capacity(Comparison& comparison, const Problem& problem, std::size_t kind, std::int64_t tokens,
                      const std::vector<double>& p) {
  const MoeMlp& moe = std::get<MoeMlp>(problem.layers[kind].layer.feed_forward);
  const double places = as_double(moe.experts) * as_double(moe_layers(problem.model));
  const double tail = (1 - problem.workload.capacity_quantile) / places;
  const std::int64_t sequences = tokens / problem.workload.seq_len;
  comparison.near(fmt::format("cap of kind {}", kind),
                  as_double(smallest_capacity(tokens, *std::ranges::max_element(p), tail)),
                  as_double(expert_capacities(problem, sequences)[kind]), 1);
}

}  // namespace

Check check_row_loads(const Problem& problem, Tiling tiling) {
  Comparison comparison(std::string(row_load_claim), describe(problem, tiling), Measure::to_largest,
                        probability_tolerance);
  const std::int64_t tokens = micro_batch_tokens(tiling, problem.workload.seq_len).value;
  Workload workload = problem.workload;
  for (const Placement placement : {Placement::masked, Placement::compacted}) {
    workload.placement = placement;
    const Problem placed = with_workload(problem, workload);
    for (std::size_t kind = 0; kind < placed.layers.size(); ++kind) {
      const auto* moe = std::get_if<MoeMlp>(&placed.layers[kind].layer.feed_forward);
      if (moe == nullptr) continue;
      const std::vector<double> p = executor::inclusion_probabilities(workload.routing, *moe);
      for (std::size_t e = 0; e < p.size(); ++e) compare_distribution(comparison, placed, tokens, p[e], e);
      compare_capacity(comparison, placed, kind, tokens, p);
    }
  }
  return std::move(comparison).result();
}

Check check_head_chunk(const Problem& problem) {
  Comparison comparison(std::string(head_chunk_claim),
                        fmt::format("{} on {}", problem.model.name, problem.wafer.name), Measure::exact, 0);
  const std::int64_t full = problem.wafer.rows * vector_width(problem.wafer, problem.workload.precision);
  std::int64_t nearest = full;
  for (std::int64_t chunk = full; chunk < 2 * target + full; chunk += full)
    if (std::abs(chunk - target) < std::abs(nearest - target)) nearest = chunk;
  comparison.exact("tokens", nearest, problem.head_chunk);
  return std::move(comparison).result();
}

}  // namespace bta::verify
