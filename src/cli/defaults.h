// What is planned when nothing is said.
#pragma once

#include <string_view>

namespace bta::cli {

inline constexpr std::string_view default_model = "qwen3-30b-a3b";
inline constexpr std::string_view default_free = "gemm=attention,layer_overhead";  // what calibrate fits
inline constexpr std::string_view default_hardware = "cerebras-cs2";

}  // namespace bta::cli
