#include <fmt/format.h>

#include <algorithm>

#include "input/hf_file.h"
#include "input/model_shape.h"

namespace bta {
namespace {

/// `first`, then the other names that are not it.
Spellings also(std::string_view first, const Spellings& others) {
  Spellings names{first};
  std::copy_if(others.begin(), others.end(), std::back_inserter(names),
               [&](std::string_view name) { return name != first; });
  return names;
}

DenseMlp read_dense_mlp(const HfFile& file, std::optional<std::int64_t> hidden) {
  const HfFamily& family = file.family;
  const std::string_view key = file.spelling(also(family.dense_width, hf_keys::dense_width));
  DenseMlp mlp;
  mlp.gated = family.gated;
  mlp.bias = file.is_on(family.mlp_bias);
  if (family.absent_width_is_4_hidden && !file.reader.has(key)) {
    mlp.width = 4 * hidden.value_or(1);
    file.notes.push_back(fmt::format("{} is absent: {} takes 4 times the hidden size = {}", key,
                                     family.model_type, mlp.width));
  } else {
    mlp.width = file.reader.integer(key, width_range).value_or(1);
  }
  return mlp;
}

/// An absent count is the family's; null is none where the family's code does without shared experts then.
std::optional<std::int64_t> read_shared_count(const HfFile& file, std::string_view key) {
  const HfFamily& family = file.family;
  constexpr IntegerRange range{0, expert_range.max};
  const bool absent = file.absent(key);
  if (absent && family.absent_shared) return file.integer_or(key, range, *family.absent_shared);
  if (!absent && !file.reader.has(key) && family.null_shared_is_none) {
    file.reader.take(key);
    return 0;
  }
  return file.reader.integer(key, range);
}

/// A count of shared experts gives their width; a width beside it must be that of one or of all.
std::int64_t read_counted_shared_width(const HfFile& file, std::int64_t expert_width) {
  const std::string_view count_key = file.spelling(hf_keys::shared_experts);
  const std::int64_t count = read_shared_count(file, count_key).value_or(0);
  const std::string_view key = file.spelling(hf_keys::shared_width);
  const auto width = file.reader.integer(key, width_range, Need::optional);
  const std::int64_t total = count * expert_width;
  if (total > width_range.max)
    file.reader.problem(count_key, fmt::format("'{}' is {}: shared experts of width {} are {} wide together, "
                                               "more than {}",
                                               count_key, count, expert_width, total, width_range.max));
  if (width && *width != expert_width && *width != total) {
    file.reader.problem(key, fmt::format("'{}' is {} but shared experts of {} have a width of {} each and {} "
                                         "together",
                                         key, *width, file.family.model_type, expert_width, total));
  }
  return total;
}

std::int64_t read_shared_width(const HfFile& file, std::int64_t expert_width) {
  if (!file.is_on(file.family.shared_used)) {
    for (const Spellings* unused : {&hf_keys::shared_experts, &hf_keys::shared_width}) file.spelling(*unused);
    return 0;
  }
  const IntegerRange widths{file.family.shared_gate ? 1 : 0, width_range.max};
  switch (file.family.shared) {
    case HfShared::none:
      return 0;
    case HfShared::one:
      return expert_width;
    case HfShared::count:
      return read_counted_shared_width(file, expert_width);
    case HfShared::width:
      return file.reader.integer(file.spelling(hf_keys::shared_width), widths).value_or(0);
  }
  return 0;
}

/// Where every layer has experts, the names of a dense width are theirs too.
Spellings expert_width_names(const HfFamily& family) {
  Spellings names = also(family.expert_width, hf_keys::expert_width);
  if (family.schedule != HfSchedule::every_layer) return names;
  for (const std::string_view name : also(family.expert_width, hf_keys::dense_width))
    if (name != family.expert_width) names.push_back(name);
  return names;
}

MoeMlp read_moe_mlp(const HfFile& file) {
  const HfFamily& family = file.family;
  const std::string_view experts_key = file.spelling(hf_keys::experts);
  const std::string_view width_key = file.spelling(expert_width_names(family));
  const auto experts = file.reader.integer(experts_key, expert_range);
  MoeMlp moe;
  moe.experts = experts.value_or(1);
  moe.top_k = read_top_k(file.reader, file.spelling(hf_keys::top_k), experts_key, experts).value_or(1);
  moe.width = file.reader.integer(width_key, width_range).value_or(1);
  moe.gated = family.gated;
  moe.shared_width = read_shared_width(file, moe.width);
  moe.shared_gate = family.shared_gate && moe.shared_width > 0;
  moe.router_bias = family.router_bias;
  moe.selection_bias = file.is_on(family.selection_bias);
  moe.expert_bias = file.is_on(family.expert_bias);
  return moe;
}

}  // namespace

std::vector<FeedForward> read_feed_forwards(const HfFile& file, std::optional<std::int64_t> hidden,
                                            std::int64_t layers) {
  const auto count = static_cast<std::size_t>(layers);
  if (file.family.expert_width.empty()) return std::vector<FeedForward>(count, read_dense_mlp(file, hidden));
  std::vector<FeedForward> mlps(count, read_moe_mlp(file));
  const std::vector<bool> moe = read_moe_layers(file, layers);
  if (file.family.schedule != HfSchedule::every_layer)
    file.spelling(also(file.family.dense_width, hf_keys::dense_width));
  if (std::find(moe.begin(), moe.end(), false) == moe.end()) return mlps;
  const DenseMlp dense = read_dense_mlp(file, hidden);
  for (std::size_t layer = 0; layer < count; ++layer)
    if (!moe[layer]) mlps[layer] = dense;
  return mlps;
}

}  // namespace bta
