// Aligned text for a terminal. Widths are display widths: combining marks take no column, wide East
// Asian characters two. Control characters print as `?`.
#pragma once

#include <string>
#include <string_view>

#include "report/grid.h"

namespace bta {

inline constexpr std::size_t page_width = 120;

std::size_t display_width(std::string_view text);

/// Headings, a rule, rows; two spaces between columns, no trailing spaces. `indent` before each line.
std::string write_text_table(const TextGrid& grid, std::string_view indent = "");

/// A paragraph broken at spaces to a width: `first` before its first line, `indent` before the others.
std::string write_paragraph(std::string_view text, std::string_view first = "",
                            std::string_view indent = "  ", std::size_t width = page_width);

}  // namespace bta
