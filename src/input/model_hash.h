// What a model is, as a hash: the same for every description of it, in whatever format, spelling and order;
// another one for a model that differs in anything that changes a number. Names and notes have no part.
#pragma once

#include <string>

#include "model/model.h"

namespace bta {

/// SHA-256, in hex, of the model's values that are not 0, absent or usual, so that a field which is new and
/// usual leaves the hash as it was.
std::string content_hash(const Model& model);

}  // namespace bta
