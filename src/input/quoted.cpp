#include "input/quoted.h"

#include <fmt/format.h>

namespace bta {
namespace {

constexpr std::size_t longest_shown = 60;

std::size_t character_boundary(std::string_view text, std::size_t at) {
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) --at;
  return at;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

}  // namespace

std::string on_one_line(std::string_view text) {
  const bool cut = text.size() > longest_shown;
  std::string shown(cut ? text.substr(0, character_boundary(text, longest_shown)) : text);
  for (char& c : shown) {
    if (is_control(c)) c = '?';
  }
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
