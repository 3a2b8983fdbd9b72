// The formats every command writes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace bta {

enum class Format : std::uint8_t { table, csv, json, markdown };
inline constexpr std::array<std::string_view, 4> format_names = {"table", "csv", "json", "markdown"};

}  // namespace bta
