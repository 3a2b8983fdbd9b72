// A model in this project's YAML. docs/cli.md, "Model files", has the table of keys.
//
// Unknown keys are refused, as are keys without effect and lists that name no layer: the reader takes every
// key it knows, refuses those that say something about a part the model does not have, then all that are
// left.
//
// Any number may also be {value, kind, source}. What was derived (num_kv_heads, head_dim) stands in the
// notes.
#pragma once

#include <string>

#include "input/node.h"
#include "input/read_log.h"
#include "model/model.h"

namespace bta {

/// Whole and valid when the log is clean, else of no use. `content_hash` is not filled.
Model read_model_yaml(const Node& root, const std::string& fallback_name, ReadLog& log);

}  // namespace bta
