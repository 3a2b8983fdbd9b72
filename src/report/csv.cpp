#include "report/csv.h"

namespace bta {
namespace {

std::string neutralised(const std::string& text) {
  const bool formula =
      !text.empty() && std::string_view("=+-@\t\r\n").find(text.front()) != std::string_view::npos;
  return formula ? "'" + text : text;
}

std::string quoted_where_needed(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_text(const Cell& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text ? quoted_where_needed(neutralised(*text)) : machine_text(value);
}

}  // namespace

std::string write_csv(const Grid& grid) {
  std::string csv;
  for (std::size_t i = 0; i < grid.names.size(); ++i) csv += (i > 0 ? "," : "") + grid.names[i];
  csv += "\r\n";
  for (const std::vector<Cell>& row : grid.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) csv += (i > 0 ? "," : "") + csv_text(row[i]);
    csv += "\r\n";
  }
  return csv;
}

}  // namespace bta
