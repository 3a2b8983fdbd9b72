#include "report/json.h"

#include <cmath>

namespace bta {
namespace {

// nlohmann's own dump() prints reals by Grisu2, which is not always shortest; the digits here are those
// of the CSV (see cell.h). Text is escaped by nlohmann, bytes that are not UTF-8 become U+FFFD.
std::string leaf_text(const Json& leaf) {
  if (leaf.is_number_float()) {
    const auto real = leaf.get<double>();
    return std::isfinite(real) ? shortest_text(real) : "null";
  }
  return leaf.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void append(std::string& text, const Json& tree, const std::string& line) {
  if (!tree.is_structured() || tree.empty()) {
    text += leaf_text(tree);
    return;
  }
  const std::string inner = line + "  ";
  bool first = true;
  text += tree.is_object() ? "{" : "[";
  for (const auto& item : tree.items()) {
    text += (first ? "" : ",") + inner;
    if (tree.is_object()) text += leaf_text(item.key()) + ": ";
    append(text, item.value(), inner);
    first = false;
  }
  text += line + (tree.is_object() ? "}" : "]");
}

}  // namespace

Json to_json(const Cell& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

Json to_json(const Grid& grid) {
  Json rows = Json::array();
  for (const std::vector<Cell>& cells : grid.rows) {
    Json row = Json::object();
    for (std::size_t i = 0; i < cells.size(); ++i) row[grid.names[i]] = to_json(cells[i]);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string write_json(const Json& tree) {
  std::string text;
  append(text, tree, "\n");
  return text + "\n";
}

}  // namespace bta
