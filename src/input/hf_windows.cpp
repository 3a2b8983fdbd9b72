#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "input/hf_file.h"
#include "input/model_shape.h"

namespace bta {
namespace {

constexpr std::string_view full = "full_attention", sliding = "sliding_attention",
                           chunked = "chunked_attention";

/// max_window_layers; the family's own number is noted when it decides.
std::optional<std::int64_t> first_window(const HfFile& file, bool has_window) {
  constexpr std::string_view key = "max_window_layers";
  constexpr IntegerRange range{0, layer_range.max};
  const bool decides = has_window && !file.reader.has("layer_types");
  return decides ? file.integer_or(key, range, file.family.absent_window_start)
                 : file.reader.integer(key, range, Need::optional);
}

bool in_every_layer(HfWindows rule) {
  return rule == HfWindows::all_layers || rule == HfWindows::all_flagged;
}

/// The layers with a window by the rule of the family.
std::vector<bool> windowed_layers(const HfFile& file, const std::vector<bool>& rotary, bool has_window) {
  const HfWindows rule = file.family.windows;
  const std::size_t layers = rotary.size();
  if (rule == HfWindows::rotary) return rotary;
  std::vector<bool> windowed(layers, in_every_layer(rule));
  if (rule == HfWindows::alternating)
    for (std::size_t i = 0; i < layers; i += 2) windowed[i] = true;
  if (rule != HfWindows::flagged && rule != HfWindows::from_layer) return windowed;
  const auto last = static_cast<std::int64_t>(layers);
  for (std::int64_t i = first_window(file, has_window).value_or(last); i < last; ++i)
    windowed[static_cast<std::size_t>(i)] = true;
  return windowed;
}

/// Absent: no window is in use.
std::optional<std::int64_t> window_size(const HfFile& file) {
  const HfWindows rule = file.family.windows;
  if (rule == HfWindows::none) return {};
  const std::string_view key = rule == HfWindows::rotary ? "attention_chunk_size" : "sliding_window";
  const Node* const node = file.reader.take(key);
  const bool flagged = rule == HfWindows::flagged || rule == HfWindows::all_flagged;
  if (flagged && !file.is_on({"use_sliding_window", false, HfTold::never})) return {};
  if (node == nullptr) {
    const bool has_default = file.family.absent_window > 0 && file.absent(key);
    return has_default ? std::optional(file.integer_or(key, window_range, file.family.absent_window))
                       : std::nullopt;
  }
  if (!is_active(*node)) return {};
  return file.reader.integer(key, window_range);
}

bool fits(std::string_view type, HfWindows rule) {
  if (type == full) return true;
  return type == (rule == HfWindows::rotary ? chunked : sliding) && rule != HfWindows::none;
}

void refuse_type(const HfFile& file, const Node& type, const std::string& why) {
  file.reader.log().problem(type, "layer_types", fmt::format("{} {}", shown(type), why));
}

/// layer_types in place of the rule; true where the layer has a window.
std::vector<bool> listed_layers(const HfFile& file, const Node& types, const std::vector<bool>& by_rule,
                                bool has_window) {
  const HfWindows rule = file.family.windows;
  std::vector<bool> windowed;
  for (const Node& type : types.children) {
    const std::size_t i = windowed.size();
    windowed.push_back(type.text != full);
    if (type.kind != Node::Kind::scalar || !fits(type.text, rule)) {
      refuse_type(
          file, type,
          fmt::format("is not an attention known here for {}; known: '{}'{}", file.family.model_type, full,
                      rule == HfWindows::none     ? ""
                      : rule == HfWindows::rotary ? ", 'chunked_attention'"
                                                  : ", 'sliding_attention'"));
      break;
    }
    if (windowed[i] && !has_window) {
      refuse_type(file, type, fmt::format("in layer {}, but no window is in use", i));
      break;
    }
    if (in_every_layer(rule) && has_window && windowed[i] != by_rule[i]) {
      refuse_type(file, type, fmt::format("in layer {}, but sliding_window is in use in every layer", i));
      break;
    }
  }
  windowed.resize(by_rule.size());
  return windowed;
}

std::vector<bool> windowed(const HfFile& file, const std::vector<bool>& rotary, bool has_window) {
  std::vector<bool> by_rule = windowed_layers(file, rotary, has_window);
  const Node* const types = file.reader.take("layer_types");
  if (types == nullptr) return by_rule;
  if (types->kind != Node::Kind::sequence || types->children.size() != rotary.size()) {
    file.reader.problem("layer_types",
                        fmt::format("{} of {} entries stands where one with an entry for each of {} layers "
                                    "is needed",
                                    shown(*types), types->children.size(), rotary.size()));
    return by_rule;
  }
  return listed_layers(file, *types, by_rule, has_window);
}

}  // namespace

Windows read_windows(const HfFile& file, const std::vector<bool>& rotary) {
  const std::optional<std::int64_t> size = window_size(file);
  const std::vector<bool> in_window = windowed(file, rotary, size.has_value());
  Windows windows(rotary.size());
  if (!size) return windows;
  for (std::size_t i = 0; i < windows.size(); ++i)
    if (in_window[i]) windows[i] = Window{*size, file.family.windows == HfWindows::rotary};
  return windows;
}

}  // namespace bta
