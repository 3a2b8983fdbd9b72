#include "cli/progress_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "base/characters.h"
#include "report/text_table.h"

namespace bta::cli {
namespace {

/// The last column stays free: some terminals wrap as soon as it is written.
std::size_t free_columns() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col - 1U : 79U;
}

bool inside_a_character(std::string_view text, std::size_t at) {
  return at < text.size() && continues_character(text[at]);
}

std::string_view cut(std::string_view text, std::size_t columns) {
  while (display_width(text) > columns) {
    std::size_t end = text.size() - 1;
    while (inside_a_character(text, end)) --end;
    text = text.substr(0, end);
  }
  return text;
}

}  // namespace

ProgressLine::ProgressLine(bool wanted) : shown_(wanted && ::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(std::string_view text) {
  if (!shown_) return;
  clear();
  const std::string_view line = cut(text, free_columns());
  std::fputs(fmt::format("\r{}", line).c_str(), stderr);
  columns_ = display_width(line);
}

void ProgressLine::clear() {
  if (columns_ > 0) std::fputs(fmt::format("\r{:{}}\r", "", columns_).c_str(), stderr);
  columns_ = 0;
}

}  // namespace bta::cli
