// A reader of RFC 4180, apart from the writer it checks.
#pragma once

#include <string>
#include <vector>

namespace bta::cli_test {

/// Rows of cells; throws when the text is no CSV with CR LF line ends.
std::vector<std::vector<std::string>> read_csv(const std::string& text);

}  // namespace bta::cli_test
