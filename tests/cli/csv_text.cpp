#include "cli/csv_text.h"

#include <stdexcept>

namespace bta::cli_test {
namespace {

std::string read_quoted(const std::string& text, std::size_t& at) {
  std::string cell;
  for (++at; at < text.size(); ++at) {
    if (text[at] != '"') {
      cell += text[at];
    } else if (text.compare(at, 2, "\"\"") == 0) {
      cell += text[at++];
    } else {
      ++at;
      return cell;
    }
  }
  throw std::runtime_error("a quote is not closed");
}

std::string read_cell(const std::string& text, std::size_t& at) {
  if (at < text.size() && text[at] == '"') return read_quoted(text, at);
  const std::size_t end = text.find_first_of(",\r\n\"", at);
  if (end == std::string::npos) throw std::runtime_error("the last line does not end");
  std::string cell = text.substr(at, end - at);
  at = end;
  return cell;
}

}  // namespace

std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t at = 0; at < text.size();) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(read_cell(text, at));
    while (at < text.size() && text[at] == ',') row.push_back(read_cell(text, ++at));
    if (text.compare(at, 2, "\r\n") != 0)
      throw std::runtime_error("a cell is followed by neither comma nor CR LF");
    at += 2;
  }
  return rows;
}

}  // namespace bta::cli_test
