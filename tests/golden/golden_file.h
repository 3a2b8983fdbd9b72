// Text compared with a file under tests/golden/data. BTA_UPDATE_GOLDENS=1 rewrites the file instead.
#pragma once

#include <string>

namespace bta::golden {

/// Empty when equal; else the lines that differ, as `-expected` and `+found`.
std::string difference(const std::string& file, const std::string& text);

}  // namespace bta::golden
