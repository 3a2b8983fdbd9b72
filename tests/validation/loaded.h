// Descriptions that are built in, or a failed test.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "input/load.h"

namespace bta::validation {

inline Model model(const std::string& name) {
  const auto loaded = load_model(name, {});
  REQUIRE(loaded.has_value());
  return loaded.value();
}

inline Wafer wafer(const std::string& name, const std::vector<Override>& overrides = {}) {
  const auto loaded = load_wafer(name, overrides);
  REQUIRE(loaded.has_value());
  return loaded.value();
}

}  // namespace bta::validation
