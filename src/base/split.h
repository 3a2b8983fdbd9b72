// A text cut at every separator: one part more than there are separators, each possibly empty.
#pragma once

#include <boost/algorithm/string/split.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace bta {

inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  boost::algorithm::split(parts, text, [separator](char c) { return c == separator; });
  return parts;
}

}  // namespace bta
