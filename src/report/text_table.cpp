#include "report/text_table.h"

#include <algorithm>
#include <array>

#include "base/characters.h"

namespace bta {
namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
};

/// A byte that opens no valid sequence counts as one character.
CodePoint code_point_at(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  if (bytes == 1 || at + bytes > text.size()) return {lead, 1};
  char32_t value = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i)
    value = (value << 6U) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  return {value, bytes};
}

struct Interval {
  char32_t first, last;
};
// The blocks of Unicode's East Asian Width W and F, and of combining marks and joiners, that names meet.
constexpr std::array<Interval, 9> wide = {{{0x1100, 0x115F},
                                           {0x2E80, 0x303E},
                                           {0x3041, 0xA4CF},
                                           {0xAC00, 0xD7A3},
                                           {0xF900, 0xFAFF},
                                           {0xFE30, 0xFE6F},
                                           {0xFF00, 0xFF60},
                                           {0x1F300, 0x1FAFF},
                                           {0x20000, 0x3FFFD}}};
constexpr std::array<Interval, 5> zero_width = {
    {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}}};

template <std::size_t size>
bool within(char32_t value, const std::array<Interval, size>& intervals) {
  return std::ranges::any_of(intervals, [value](Interval i) { return i.first <= value && value <= i.last; });
}

std::string printable(std::string_view text) {
  std::string shown(text);
  std::ranges::replace_if(shown, is_control, '?');
  return shown;
}

std::string padded(std::string_view text, std::size_t width, bool left) {
  const std::string space(width - std::min(width, display_width(text)), ' ');
  return left ? std::string(text) + space : space + std::string(text);
}

struct TableLine {
  std::vector<std::string> cells;
};

std::string heading_line(const std::string& heading, bool second) {
  const std::size_t split = heading.find('\n');
  if (split == std::string::npos) return second ? "" : heading;
  return second ? heading.substr(split + 1) : heading.substr(0, split);
}

std::vector<TableLine> lines_of(const TextGrid& grid) {
  std::vector<TableLine> lines(2);
  for (const TextGrid::Head& head : grid.heads) {
    lines[0].cells.push_back(heading_line(head.heading, false));
    lines[1].cells.push_back(heading_line(head.heading, true));
  }
  if (std::ranges::all_of(lines[1].cells, &std::string::empty)) lines.pop_back();
  for (const std::vector<std::string>& row : grid.rows) {
    TableLine& line = lines.emplace_back();
    for (const std::string& text : row) line.cells.push_back(printable(text));
  }
  return lines;
}

std::vector<std::size_t> widths_of(const std::vector<TableLine>& lines, std::size_t columns) {
  std::vector<std::size_t> widths(columns, 0);
  for (const TableLine& line : lines)
    for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], display_width(line.cells[i]));
  return widths;
}

std::string without_trailing_space(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    width += within(point.value, zero_width) ? 0 : within(point.value, wide) ? 2 : 1;
    at += point.bytes;
  }
  return width;
}

std::string write_text_table(const TextGrid& grid, std::string_view indent) {
  const std::vector<TableLine> lines = lines_of(grid);
  const std::vector<std::size_t> widths = widths_of(lines, grid.heads.size());
  const std::size_t headings = lines.size() - grid.rows.size();
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string shown(indent), rule(indent);
    for (std::size_t c = 0; c < widths.size(); ++c) {
      shown += padded(lines[i].cells[c], widths[c], grid.heads[c].left) + "  ";
      rule += std::string(widths[c], '-') + "  ";
    }
    text += without_trailing_space(shown) + "\n";
    if (i + 1 == headings) text += without_trailing_space(rule) + "\n";
  }
  return text;
}

std::string write_paragraph(std::string_view text, std::string_view first, std::string_view indent,
                            std::size_t width) {
  std::string result, line(first);
  bool line_is_empty = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = printable(text.substr(at, end - at));
    if (!line_is_empty && display_width(line) + 1 + display_width(word) > width) {
      result += line + "\n";
      line = indent;
      line_is_empty = true;
    }
    line += (line_is_empty ? "" : " ") + word;
    line_is_empty = false;
    at = end + 1;
  }
  return result + line + "\n";
}

}  // namespace bta
