// How a piece of a user's input is shown inside a message: in single quotes, one line, short.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bta {

/// The text on one line: control characters as '?', cut after 60 bytes at a character boundary.
std::string on_one_line(std::string_view text);

/// 'text', on one line.
std::string in_quotes(std::string_view text);

/// "a, b, c"
std::string joined(const std::vector<std::string>& names);

}  // namespace bta
