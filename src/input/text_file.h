// A file as text, or why it is none: missing, a directory, unreadable, too large, not UTF-8.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace bta {

constexpr std::size_t largest_file_bytes = std::size_t{16} << 20;

/// The whole file without a byte-order mark, in UTF-8 and without NUL.
Result<std::string> read_text_file(const std::string& path);

bool is_utf8(std::string_view text);

}  // namespace bta
