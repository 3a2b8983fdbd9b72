#include <fmt/format.h>

#include <algorithm>

#include "input/hf_file.h"
#include "input/model_shape.h"

namespace bta {
namespace {

std::vector<bool> where(std::int64_t layers, const auto& is_moe) {
  std::vector<bool> moe;
  for (std::int64_t layer = 0; layer < layers; ++layer) moe.push_back(is_moe(layer));
  return moe;
}

bool contains(const std::vector<std::int64_t>& list, std::int64_t layer) {
  return std::find(list.begin(), list.end(), layer) != list.end();
}

/// When the number of layers is wrong, that alone is told.
std::int64_t last_layer(const HfFile& file, std::int64_t layers) {
  return file.reader.log().clean() ? layers - 1 : layer_range.max;
}

std::vector<bool> by_sparse_step(const HfFile& file, std::int64_t layers) {
  const std::int64_t every = file.integer_or("decoder_sparse_step", layer_range, 1);
  const auto dense = file.reader.integers("mlp_only_layers", {0, last_layer(file, layers)});
  return where(layers, [&](std::int64_t i) { return (i + 1) % every == 0 && !contains(dense, i); });
}

std::vector<bool> after_leading(const HfFile& file, std::int64_t layers) {
  const std::int64_t leading =
      file.integer_or(file.spelling(hf_keys::leading_dense), {0, layer_range.max}, file.family.leading_dense);
  const Node* const frequency = file.reader.take("moe_layer_freq");
  if (frequency != nullptr && frequency->kind == Node::Kind::sequence) {
    const std::vector<bool> flags = read_flags(file, "moe_layer_freq", layers);
    return where(layers, [&](std::int64_t i) { return i >= leading && flags[static_cast<std::size_t>(i)]; });
  }
  const bool told = frequency != nullptr || file.family.layer_frequency;
  const std::int64_t every = told ? file.integer_or("moe_layer_freq", layer_range, 1) : 1;
  return where(layers, [&](std::int64_t i) { return i >= leading && i % every == 0; });
}

/// Both spellings may stand in a file, and must then say the same.
std::vector<bool> interleaved(const HfFile& file, std::int64_t layers) {
  constexpr std::string_view step = "interleave_moe_layer_step";
  const bool has_list = file.reader.has("moe_layers"), has_step = file.reader.has(step);
  const auto listed = file.reader.integers("moe_layers", {0, last_layer(file, layers)});
  std::vector<bool> by_list = where(layers, [&](std::int64_t i) { return contains(listed, i); });
  if (has_list && !has_step) return by_list;
  const std::int64_t every = file.integer_or(step, layer_range, 1);
  std::vector<bool> by_step = where(layers, [&](std::int64_t i) { return (i + 1) % every == 0; });
  if (has_list && by_list != by_step)
    file.reader.problem("moe_layers",
                        fmt::format("'moe_layers' lists other layers than '{}' is {} for; they mean the "
                                    "same, so they must be equal or one must go",
                                    step, every));
  return by_step;
}

std::vector<bool> in_index_range(const HfFile& file, std::int64_t layers) {
  const std::int64_t first = file.integer_or("moe_layer_start_index", {0, layer_range.max}, 1);
  const std::int64_t end = file.integer_or("moe_layer_end_index", {-1, last_layer(file, layers)}, -1);
  const std::int64_t last = end == -1 ? layers - 1 : end;
  const std::int64_t every = file.integer_or("moe_layer_interval", layer_range, 1);
  return where(layers, [&](std::int64_t i) { return i >= first && i <= last && (i + 1) % every == 0; });
}

std::vector<bool> scheduled_layers(const HfFile& file, std::int64_t layers) {
  switch (file.family.schedule) {
    case HfSchedule::every_layer:
      return std::vector<bool>(static_cast<std::size_t>(layers), true);
    case HfSchedule::sparse_step:
      return by_sparse_step(file, layers);
    case HfSchedule::after_leading:
      return after_leading(file, layers);
    case HfSchedule::interleaved:
      return interleaved(file, layers);
    case HfSchedule::index_range:
      return in_index_range(file, layers);
  }
  return {};
}

/// "first_k_dense_replace is 9, moe_layer_freq is 1"
void refuse_no_moe(const HfFile& file, std::int64_t layers) {
  Spellings keys{"decoder_sparse_step", "mlp_only_layers",           "moe_layer_freq",
                 "moe_layers",          "interleave_moe_layer_step", "moe_layer_start_index",
                 "moe_layer_end_index", "moe_layer_interval"};
  keys.insert(keys.begin(), hf_keys::leading_dense.begin(), hf_keys::leading_dense.end());
  std::string_view first = file.spelling(hf_keys::layers);
  std::string values;
  for (const std::string_view key : keys) {
    const Node* const node = file.reader.has(key) ? find(file.keys, key) : nullptr;
    if (node == nullptr) continue;
    if (values.empty()) first = key;
    values += fmt::format("{}'{}' is {}", values.empty() ? "" : ", ", key, written(*node));
  }
  file.reader.problem(first, fmt::format("{}{}no layer of {} has experts, but {} is a MoE family", values,
                                         values.empty() ? "" : ": ", layers, file.family.model_type));
}

}  // namespace

std::vector<bool> read_moe_layers(const HfFile& file, std::int64_t layers) {
  std::vector<bool> moe = scheduled_layers(file, layers);
  if (file.reader.log().clean() && std::find(moe.begin(), moe.end(), true) == moe.end())
    refuse_no_moe(file, layers);
  return moe;
}

std::vector<bool> read_flags(const HfFile& file, std::string_view key, std::int64_t layers) {
  const Node* const list = file.reader.take(key);
  if (list == nullptr) return std::vector<bool>(static_cast<std::size_t>(layers), true);
  const auto is_flag = [](const Node& item) {
    return item.kind == Node::Kind::scalar && !item.quoted && (item.text == "0" || item.text == "1");
  };
  const auto count = static_cast<std::size_t>(layers);
  const bool whole = list->kind == Node::Kind::sequence && list->children.size() == count;
  if (!whole || !std::all_of(list->children.begin(), list->children.end(), is_flag)) {
    file.reader.problem(
        key, fmt::format("'{}' must be a list of {} entries, one a layer, each 0 or 1", key, layers));
    return std::vector<bool>(count, true);
  }
  return where(layers,
               [&](std::int64_t i) { return list->children[static_cast<std::size_t>(i)].text == "1"; });
}

}  // namespace bta
