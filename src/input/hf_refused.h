// Families that are known and not modelled, with the reason: a better answer than "unknown".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "input/node.h"

namespace bta {

struct HfRefused {
  std::string_view model_type;
  std::string_view architecture;
  std::string_view mechanism;  // what it has
  bool of_layers;              // in some of its layers, in place of attention
};

std::span<const HfRefused> hf_refused();

/// "36 of 48 layers are gated delta-rule linear attention: its cost is not modelled", or nothing for a name
/// that is not in the table. `keys`: where the layers are told apart.
std::optional<std::string> refusal_reason(std::string_view name, const Node& keys);

}  // namespace bta
