// The layers of a model by what they are: attention and feed-forward apart for people, whole kinds of layer
// for JSON.
#pragma once

#include <string_view>

#include "model/model.h"
#include "report/grid.h"
#include "report/json.h"

namespace bta {

/// MHA, GQA, MQA or MLA, by the number of key/value heads.
std::string_view attention_name(const Attention& attention);

TextGrid attention_table(const Model& model);
TextGrid feed_forward_table(const Model& model);

/// One object for every kind of layer, with the positions of its layers.
Json layer_kinds_json(const Model& model);

}  // namespace bta
