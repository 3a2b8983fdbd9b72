// The layers of a model by what they are: attention and feed-forward apart for people, whole kinds of layer
// for JSON.
#pragma once

#include <string>
#include <vector>

#include "model/model.h"
#include "report/grid.h"
#include "report/json.h"

namespace bta {

/// MHA, GQA, MQA or MLA, by the number of key/value heads.
std::string_view attention_name(const Attention& attention);

/// Which of `layers` layers, from 0: "all", "0-2, 5", "0, 2 .. 34", "all but 3, 7 .. 47". Increasing, not
/// empty.
std::string positions_text(const std::vector<std::int64_t>& positions, std::int64_t layers);

/// Which layers are like the one at 1-based position `deepest`; empty where all layers are of one kind, and
/// for 0, no layer.
std::string layers_like(const Model& model, std::int64_t deepest);

TextGrid attention_table(const Model& model);
TextGrid feed_forward_table(const Model& model);

/// One object for every kind of layer, with the positions of its layers.
Json layer_kinds_json(const Model& model);

}  // namespace bta
