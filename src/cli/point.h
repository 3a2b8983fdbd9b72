// Which point a command was asked about that evaluates one: its model and its tiling.
#pragma once

#include <optional>

#include "cli/option_reader.h"
#include "cost/workload.h"
#include "model/model.h"
#include "plan/level.h"

namespace bta::cli {

/// Absent: the command chooses. B, G and the micro-batch must agree; the reader has the errors.
std::optional<Tiling> read_tiling(OptionReader& reader);

/// The model at one level: one value each of experts and top_k, the model's own where none is given.
/// `command` is named in errors.
Result<Model> model_at_level(const Model& model, LevelRequest request, const Routing& routing,
                             std::string_view command);

}  // namespace bta::cli
