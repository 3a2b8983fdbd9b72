#include "input/quoted.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/characters.h"

namespace bta {
namespace {

constexpr std::size_t longest_shown = 60;

std::size_t character_boundary(std::string_view text, std::size_t at) {
  while (at > 0 && continues_character(text[at])) --at;
  return at;
}

}  // namespace

std::string on_one_line(std::string_view text) {
  const bool cut = text.size() > longest_shown;
  std::string shown(cut ? text.substr(0, character_boundary(text, longest_shown)) : text);
  std::ranges::replace_if(shown, is_control, '?');
  return shown + (cut ? "..." : "");
}

std::string in_quotes(std::string_view text) {
  return fmt::format("'{}'", on_one_line(text));
}

std::string joined(const std::vector<std::string>& names) {
  std::string result;
  for (const std::string& name : names) {
    if (!result.empty()) result += ", ";
    result += name;
  }
  return result;
}

}  // namespace bta
