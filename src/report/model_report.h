// One model in full: shape, exact parameter counts by part, bytes of its weights, of its training state.
// See model_parts.h for what is resident and what is streamed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "model/model.h"
#include "report/format.h"

namespace bta {

/// Bytes per parameter of the training state.
struct StateBytes {
  std::int64_t weight = 2, gradient = 2, master = 4, moments = 8;
  std::int64_t sum() const { return weight + gradient + master + moments; }
};

struct ModelDescription {
  Model model;
  std::int64_t weight_bytes = 2;  // per parameter
  std::optional<StateBytes> state;
};
std::string write_model(const ModelDescription& description, Format format);

}  // namespace bta
