// A model as this project's YAML, such that reading it gives the model back: every key that matters, in the
// order in which a person reads a model. Head counts are always written, so that nothing is derived.
#pragma once

#include <string>

#include "base/diagnostic.h"
#include "input/reader.h"
#include "model/model.h"

namespace bta {

/// `standing`: of all its numbers. An error names what the keys cannot say of the model: they hold one value
/// for all layers, but for windows, layers without rotary embedding, and dense layers of a MoE model.
Result<std::string> write_model_yaml(const Model& model, const Provenance& standing);

}  // namespace bta
