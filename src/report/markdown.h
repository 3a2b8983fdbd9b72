// A table as GitHub renders it. Pipes and backslashes are escaped, line breaks become spaces.
#pragma once

#include <string>
#include <string_view>

#include "report/grid.h"

namespace bta {

std::string write_markdown(const TextGrid& grid);

/// Pipes and backslashes escaped, on one line.
std::string markdown_text(std::string_view text);

/// The first line in bold, the rest below it.
std::string markdown_heading(std::string_view lines);

/// One item per note.
std::string markdown_list(const std::vector<std::string>& notes);

}  // namespace bta
