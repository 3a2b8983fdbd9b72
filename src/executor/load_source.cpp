#include "executor/load_source.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "base/random.h"

namespace bta::executor {
namespace {

using Loads = std::vector<ExpertLoad>;

double clipped_sum(const std::vector<double>& weights, double c) {
  return std::accumulate(weights.begin(), weights.end(), 0.0,
                         [&](double sum, double w) { return sum + std::min(1.0, c * w); });
}

std::vector<double> raw_weights(const Routing& routing, std::size_t experts) {
  std::vector<double> weights(experts, 1.0);
  if (const auto* zipf = std::get_if<ZipfRouting>(&routing))
    for (std::size_t e = 0; e < experts; ++e)
      weights[e] = 1 / std::pow(static_cast<double>(e) + 1, zipf->alpha);
  if (const auto* measured = std::get_if<MeasuredRouting>(&routing)) weights = measured->tokens_per_expert;
  return weights;
}

/// Expert e is chosen when a mark at u + integer falls into its stretch of the sum of probabilities.
void pick(const std::vector<double>& sums, double u, const auto& chosen) {
  double mark = u;
  for (std::size_t e = 0; e + 1 < sums.size(); ++e)
    if (mark < sums[e + 1]) {
      chosen(e);
      mark += 1;
    }
}

/// Sums from 0 up to exactly k.
std::vector<double> cumulative(const std::vector<double>& probabilities, std::int64_t top_k) {
  std::vector<double> sums{0};
  for (const double p : probabilities) sums.push_back(sums.back() + p);
  sums.back() = as_double(top_k);
  return sums;
}

Loads sampled_layer(const Config& config, const MoeMlp& moe, Random& random) {
  const auto experts = static_cast<std::size_t>(moe.experts),
             rows = static_cast<std::size_t>(config.wafer.rows);
  const std::vector<double> sums =
      cumulative(inclusion_probabilities(config.workload.routing, moe), moe.top_k);
  const std::int64_t tokens = micro_batch_tokens(config.tiling, config.workload.seq_len).value;
  Loads loads(experts, ExpertLoad{0, 0, std::vector<std::int64_t>(rows, 0)});
  for (std::int64_t t = 0; t < tokens; ++t) {
    const std::size_t row = static_cast<std::size_t>(t) % rows;
    pick(sums, random.unit(), [&](std::size_t e) {
      ++loads[e].tokens;
      loads[e].fullest_row = std::max(loads[e].fullest_row, ++loads[e].row_tokens[row]);
    });
  }
  return loads;
}

/// Experts in descending share until T*k tokens are given out, none above T.
Loads ragged_layer(const Config& config, const MoeMlp& moe) {
  const std::int64_t tokens = micro_batch_tokens(config.tiling, config.workload.seq_len).value;
  std::int64_t left = product(tokens, moe.top_k);
  Loads loads;
  for (std::int64_t e = 0; e < moe.experts; ++e) {
    const std::int64_t even = ceil_div(left, moe.experts - e);
    const std::int64_t least = std::max<std::int64_t>(0, left - product(tokens, moe.experts - e - 1));
    const std::int64_t share = std::max(least, std::min({tokens, left, even + even / 3 + 1}));
    loads.push_back({share, ceil_div(share, config.wafer.rows)});
    left -= share;
  }
  return loads;
}

/// Makes every MoE layer's loads once; the forward and the backward pass see the same.
LoadSource fixed_loads(const Config& config, const auto& make) {
  auto layers = std::make_shared<std::vector<Loads>>();
  for (const Layer& layer : config.model.layers) {
    const auto* moe = std::get_if<MoeMlp>(&layer.feed_forward);
    layers->push_back(moe == nullptr ? Loads{} : make(*moe));
  }
  return [layers](std::size_t layer) { return (*layers)[layer]; };
}

}  // namespace

std::vector<double> inclusion_probabilities(const Routing& routing, const MoeMlp& moe) {
  std::vector<double> p = raw_weights(routing, static_cast<std::size_t>(moe.experts));
  const double k = as_double(moe.top_k);
  double low = 0, high = 1;
  while (clipped_sum(p, high) < k && high < 1e300) high *= 2;
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle == low || middle == high) break;
    (clipped_sum(p, middle) < k ? low : high) = middle;
  }
  for (double& value : p) value = std::min(1.0, high * value);
  return p;
}

LoadSource sampled_loads(const Config& config, std::uint64_t seed) {
  Random random(seed);
  return fixed_loads(config, [&](const MoeMlp& moe) { return sampled_layer(config, moe, random); });
}

LoadSource ragged_loads(const Config& config) {
  return fixed_loads(config, [&](const MoeMlp& moe) { return ragged_layer(config, moe); });
}

}  // namespace bta::executor
