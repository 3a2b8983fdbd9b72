// A model from a Hugging Face config.json as published. Keys that cannot change the arithmetic are
// ignored; a family, or a key, that changes it in a way not known here is refused by name.
// An absent key has the value that the family's own code gives it (noted), or is an error. null is as absent
// for a size, and off for a switch. No dimension is derived but head size and KV heads (both noted).
#pragma once

#include <string>

#include "input/read_log.h"
#include "model/model.h"

namespace bta {

struct Node;

/// Whole and valid when the log is clean, else of no use. `content_hash` is not filled.
Model read_hf_config(const Node& root, const std::string& fallback_name, ReadLog& log);

}  // namespace bta
