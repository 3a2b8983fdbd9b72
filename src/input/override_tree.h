// `--set model.KEY=VALUE` as an edit of the document tree, before anything is checked.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "input/load.h"
#include "input/node.h"

namespace bta {

/// Replaces or adds each override's value; VALUE is written as in a YAML file. Returns the overrides
/// that cannot be placed or read. `what` is "model" or "hardware".
Diagnostics apply_overrides(Node& root, const std::vector<Override>& overrides, const std::string& what);

}  // namespace bta
