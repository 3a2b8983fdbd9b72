// A model from a Hugging Face config.json as published. Keys that cannot change the arithmetic are
// ignored; a family, or a key, that changes it in a way not known here is refused by name.
// null is the same as absent; no dimension is defaulted but head size and KV heads (both noted).
#pragma once

#include <string>
#include <vector>

#include "input/hf_families.h"
#include "input/reader.h"
#include "model/model.h"

namespace bta {

/// Whole and valid when the log is clean, else of no use. `content_hash` is not filled.
Model read_hf_config(const Node& root, const std::string& fallback_name, ReadLog& log);

/// The keys of the language model in one map: those of a nested `text_config`, then those of the root.
/// `nested` is the text_config or nullptr.
Node language_model_keys(const Node& root, const Node* nested);

/// architectures or model_type: what the file is, not a dimension of it.
bool is_identity(std::string_view key);

/// The family that `architectures` and `model_type` agree on, or nullptr with the reason in the log.
const HfFamily* identify_family(const Node& root, const Node* nested, std::vector<std::string>& notes,
                                ReadLog& log);

/// Refuses what the file holds beyond the keys that were read and that would change the arithmetic:
/// windows, layer types, unknown activations, and every active key whose name hints at a mechanism.
void refuse_unknown_mechanisms(Reader& reader, const HfFamily& family, std::vector<std::string>& notes);

}  // namespace bta
