#include "plan/level.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/count.h"

namespace bta {
namespace {

constexpr std::size_t most_levels = 10'000;

std::int64_t width_at(const MoeMlp& moe, std::int64_t top_k, bool iso_active) {
  if (!iso_active) return moe.width;
  return std::llround(as_double(product(moe.width, moe.top_k)) / as_double(top_k));
}

/// E = k, 2k, 4k .. E_model at k_model, then k = k_model/2, /4 .. 1 at E_model.
std::vector<std::pair<std::int64_t, std::int64_t>> published_series(const MoeMlp& moe, bool vary_experts) {
  std::vector<std::pair<std::int64_t, std::int64_t>> series;
  for (std::int64_t experts = moe.top_k; vary_experts && experts < moe.experts; experts *= 2)
    series.emplace_back(experts, moe.top_k);
  series.emplace_back(moe.experts, moe.top_k);
  for (std::int64_t top_k = moe.top_k / 2; top_k >= 1; top_k /= 2) series.emplace_back(moe.experts, top_k);
  return series;
}

std::vector<std::pair<std::int64_t, std::int64_t>> asked_pairs(const MoeMlp& moe,
                                                               const LevelRequest& request) {
  const std::vector<std::int64_t> own_experts{moe.experts}, own_top_k{moe.top_k};
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const std::int64_t experts : request.experts.empty() ? own_experts : request.experts)
    for (const std::int64_t top_k : request.top_k.empty() ? own_top_k : request.top_k)
      pairs.emplace_back(experts, top_k);
  return pairs;
}

Diagnostic option_error(std::string option, std::string message) {
  return {.file = "command line",
          .line = 0,
          .column = 0,
          .key = std::move(option),
          .message = std::move(message)};
}

Result<std::vector<Level>> levels_of_dense(const Model& model, const LevelRequest& request,
                                           const MeasuredRouting* measured) {
  const std::string dense = fmt::format("{} is dense: it has no experts", model.name);
  Diagnostics errors;
  if (!request.experts.empty() || !request.top_k.empty())
    errors.push_back(option_error("--experts, --top-k", dense + " to vary; leave these options out"));
  if (measured != nullptr)
    errors.push_back(
        option_error("--routing", dense + " that tokens were counted of; leave this option out"));
  if (!errors.empty()) return errors;
  return std::vector<Level>{};
}

/// One error for all levels with another number of experts, one for all with too many experts per token.
Diagnostics routing_errors(const MeasuredRouting& measured, const std::vector<Level>& levels) {
  const std::vector<double>& counts = measured.tokens_per_expert;
  const auto experts = static_cast<std::int64_t>(counts.size());
  const std::int64_t visited = std::ranges::count_if(counts, [](double tokens) { return tokens > 0; });
  std::set<std::int64_t> other_experts, too_many;
  for (const Level& level : levels) {
    if (level.experts != experts) other_experts.insert(level.experts);
    if (level.experts == experts && level.top_k > visited) too_many.insert(level.top_k);
  }
  Diagnostics errors;
  if (!other_experts.empty())
    errors.push_back(option_error(
        "--routing", fmt::format("{} has counts of {} experts, but levels with {} experts are planned; give "
                                 "--experts {}",
                                 measured.name, experts, fmt::join(other_experts, ", "), experts)));
  if (!too_many.empty())
    errors.push_back(option_error(
        "--routing", fmt::format("only {} of the {} experts in {} have tokens, too few for top_k {}; give "
                                 "--top-k {} or less",
                                 visited, experts, measured.name, fmt::join(too_many, ", "), visited)));
  return errors;
}

}  // namespace

Result<std::vector<Level>> levels(const Model& model, const LevelRequest& request, const Routing& routing) {
  const MoeMlp* moe = moe_of(model);
  const auto* measured = std::get_if<MeasuredRouting>(&routing);
  if (moe == nullptr) return levels_of_dense(model, request, measured);
  const std::size_t pairs =
      std::max<std::size_t>(1, request.experts.size()) * std::max<std::size_t>(1, request.top_k.size());
  if (pairs > most_levels)
    return Diagnostics{option_error(
        "--experts, --top-k",
        fmt::format("make {} levels together; at most {} are planned at once", pairs, most_levels))};
  const bool asked = !request.experts.empty() || !request.top_k.empty();
  std::vector<Level> result;
  Diagnostics errors;
  for (const auto& [experts, top_k] :
       asked ? asked_pairs(*moe, request) : published_series(*moe, measured == nullptr)) {
    const std::int64_t width = width_at(*moe, top_k, request.iso_active);
    if (top_k > experts)
      errors.push_back(
          option_error("--top-k", fmt::format("top_k {} exceeds the {} experts of that level; ask for "
                                              "--experts {} or more",
                                              top_k, experts, top_k)));
    else if (width < 1)
      errors.push_back(
          option_error("--iso-active", fmt::format("the expert width rounds to 0 at top_k {}", top_k)));
    else
      result.push_back({experts, top_k, width});
  }
  if (measured != nullptr) std::ranges::move(routing_errors(*measured, result), std::back_inserter(errors));
  if (!errors.empty()) return errors;
  return result;
}

Model at_level(const Model& model, const Level& level) {
  Model changed = with_experts(model, level.experts, level.top_k, level.expert_width);
  return level.experts == level.top_k ? dense_equivalent(changed) : changed;
}

}  // namespace bta
