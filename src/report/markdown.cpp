#include "report/markdown.h"

namespace bta {

std::string markdown_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|' || c == '\\') escaped += '\\';
    escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return escaped;
}

std::string markdown_heading(std::string_view lines) {
  const std::size_t first = lines.find('\n');
  const std::string_view rest = lines.substr(first + 1, lines.size() - first - 2);
  return "**" + markdown_text(lines.substr(0, first)) + "**\n\n" + markdown_text(rest) + "\n";
}

std::string markdown_list(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += "- " + markdown_text(note) + "\n";
  return text;
}

std::string write_markdown(const TextGrid& grid) {
  std::string heads = "|", rule = "|", rows;
  for (const TextGrid::Head& head : grid.heads) {
    heads += " " + markdown_text(head.heading) + " |";
    rule += head.left ? " --- |" : " ---: |";
  }
  for (const std::vector<std::string>& row : grid.rows) {
    rows += "|";
    for (const std::string& text : row) rows += " " + markdown_text(text) + " |";
    rows += "\n";
  }
  return heads + "\n" + rule + "\n" + rows;
}

}  // namespace bta
