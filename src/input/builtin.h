// The descriptions under models/ and hardware/, embedded at build time so that names work from any folder.
#pragma once

#include <span>
#include <string_view>

namespace bta {

struct Builtin {
  std::string_view name;  // file name without .yaml
  std::string_view text;
};

std::span<const Builtin> builtin_models();    // sorted by name
std::span<const Builtin> builtin_hardware();  // sorted by name

}  // namespace bta
