// Text compared with a file under tests/golden/data. BTA_UPDATE_GOLDENS=1 rewrites the file instead.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>

#include "report/format.h"

namespace bta::golden {

/// Empty when equal; else the lines that differ, as `-expected` and `+found`.
std::string difference(const std::string& file, const std::string& text);

inline constexpr std::array<std::string_view, 4> endings = {"txt", "csv", "json", "md"};  // as format_names

/// `write` in every format against NAME.txt, NAME.csv, NAME.json and NAME.md.
template <class Write>
void check_all_formats(const std::string& name, Write write) {
  for (std::size_t i = 0; i < format_names.size(); ++i) {
    const std::string different =
        difference(name + "." + std::string(endings[i]), write(static_cast<Format>(i)));
    CHECK_MESSAGE(different.empty(), different);
  }
}

}  // namespace bta::golden
