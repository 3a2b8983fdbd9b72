// Which layers of a model, in words short enough for a table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/model.h"

namespace bta {

/// Which of `layers` layers, from 0: "all", "0-2, 5", "0, 2 .. 34", "all but 3, 7 .. 47". Increasing, not
/// empty.
std::string positions_text(const std::vector<std::int64_t>& positions, std::int64_t layers);

/// Which layers are like the one at 1-based position `deepest`; empty where all layers are of one kind, and
/// for 0, no layer.
std::string layers_like(const Model& model, std::int64_t deepest);

}  // namespace bta
