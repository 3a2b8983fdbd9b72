// The parts of this project's model YAML, see model_yaml.h. `layers` is absent when num_layers is wrong; then
// one layer stands for all, so that the rest of the file is checked too.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/reader.h"
#include "model/model.h"

namespace bta {

/// One a layer: alike but for windows, and for those of nope_layers.
std::vector<Attention> read_attentions(Reader& reader, std::optional<std::int64_t> hidden,
                                       std::optional<std::int64_t> layers, std::vector<std::string>& notes);

/// One a layer: a MoE model's but in dense_layers, or the dense MLP of a dense model.
std::vector<FeedForward> read_mlps(Reader& reader, std::optional<std::int64_t> layers);

/// true or false; absent: false.
bool read_flag(Reader& reader, std::string_view key);

/// Refuses keys that say something about a part that the model does not have.
void refuse_without_effect(Reader& reader, const std::vector<std::string_view>& keys, std::string_view why);

/// One a layer: whether the list of that key names it; without the key `absent`. An empty list is refused.
std::vector<bool> read_layer_list(Reader& reader, std::string_view key, std::optional<std::int64_t> layers,
                                  bool absent);

}  // namespace bta
