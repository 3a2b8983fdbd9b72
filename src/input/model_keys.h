// The keys of model_yaml.h that say the parts of a model, with their values as text; those of usual value are
// left out.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/model.h"

namespace bta {

using ModelKeys = std::vector<std::pair<std::string_view, std::string>>;

ModelKeys keys_of(const Attention& attention);  // without windows
ModelKeys keys_of(const FeedForward& mlp);
ModelKeys norm_keys_of(const Layer& layer);
ModelKeys head_keys_of(const Model& model);  // vocabulary, positions, and parts counted apart

bool is_gated(const FeedForward& mlp);

/// The first key that only one of both holds, or that they give different values; empty when there is none.
std::string_view first_difference(const ModelKeys& one, const ModelKeys& other);

}  // namespace bta
