#include "cost/routing.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

namespace bta {
namespace {

/// p_e = min(1, c*z_e) with sum k: the largest weights are clipped to 1 until the rest need no clipping.
std::vector<double> clipped(std::vector<double> weights, std::int64_t top_k) {
  std::vector<double> sorted = weights;
  std::ranges::sort(sorted, std::greater{});
  if (sorted.front() == sorted.back())
    return std::vector<double>(weights.size(), as_double(top_k) / static_cast<double>(weights.size()));
  std::vector<double> rest(
      sorted.size());  // rest[i] = sum of sorted[i..], smallest first so that none is lost
  std::partial_sum(sorted.rbegin(), sorted.rend(), rest.rbegin());
  std::size_t sure = 0;  // experts with p = 1
  const auto needed = [&] { return as_double(top_k - static_cast<std::int64_t>(sure)); };
  while (needed() > 0 && sorted[sure] * needed() > rest[sure]) ++sure;
  const double scale = needed() > 0 && rest[sure] > 0 ? needed() / rest[sure] : 0;
  const double smallest_sure = sure > 0 ? sorted[sure - 1] : INFINITY;
  for (double& weight : weights) weight = weight >= smallest_sure ? 1 : std::min(1.0, scale * weight);
  return weights;
}

}  // namespace

std::vector<double> routing_probabilities(const Routing& routing, std::int64_t experts, std::int64_t top_k) {
  std::vector<double> weights(static_cast<std::size_t>(experts), 1.0);
  if (const auto* zipf = std::get_if<ZipfRouting>(&routing))
    for (std::size_t e = 0; e < weights.size(); ++e)
      weights[e] = std::pow(static_cast<double>(e + 1), -zipf->alpha);
  if (const auto* measured = std::get_if<MeasuredRouting>(&routing)) weights = measured->tokens_per_expert;
  return clipped(std::move(weights), top_k);
}

std::vector<ExpertGroup> expert_groups(const std::vector<double>& probabilities) {
  std::map<double, std::int64_t, std::greater<>> groups;
  for (const double p : probabilities) ++groups[p];
  std::vector<ExpertGroup> result;
  for (const auto& [probability, experts] : groups) result.push_back({probability, experts});
  return result;
}

}  // namespace bta
