#include "input/override_tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "input/document.h"
#include "input/quoted.h"

namespace bta {
namespace {

constexpr std::ptrdiff_t deepest_path = 64;  // as for a document

/// The value came from the command line: it has an origin and no place in the file.
void mark_origin(Node& node, const std::string& origin) {
  node.origin = origin;
  node.at = node.key_at = {};
  for (Node& child : node.children) mark_origin(child, origin);
}

Node& child_of(Node& map, const std::string& key, const std::string& origin) {
  for (Node& child : map.children) {
    if (child.key == key) return child;
  }
  Node added;
  added.key = key;
  added.origin = origin;
  return map.children.emplace_back(std::move(added));
}

bool has_empty_part(std::string_view path) {
  return path.empty() || path.front() == '.' || path.back() == '.' ||
         path.find("..") != std::string_view::npos;
}

/// Replaces the value below `map` at the dotted path; the problem, or nothing.
std::string place(Node& map, std::string_view path, const Node& value, const std::string& origin) {
  const std::size_t dot = path.find('.');
  const std::string key(path.substr(0, dot));
  Node& child = child_of(map, key, origin);
  if (dot == std::string_view::npos) {
    Node placed = value;
    placed.key = key;
    mark_origin(placed, origin);
    child = std::move(placed);
    return {};
  }
  if (child.kind == Node::Kind::null) child.kind = Node::Kind::map;
  if (child.kind != Node::Kind::map)
    return fmt::format("{} holds {}, not a map of keys", in_quotes(key), shown(child));
  return place(child, path.substr(dot + 1), value, origin);
}

std::string place_document(Node& root, std::string_view path, const Document& value,
                           const std::string& origin) {
  if (has_empty_part(path)) return "the key path has an empty part";
  if (std::count(path.begin(), path.end(), '.') >= deepest_path)
    return fmt::format("the key path is deeper than {} levels", deepest_path);
  if (!value.problems.empty()) return value.problems.front().message;
  return place(root, path, value.root, origin);
}

}  // namespace

Diagnostics apply_overrides(Node& root, const std::vector<Override>& overrides, const std::string& what) {
  Diagnostics problems;
  for (const Override& change : overrides) {
    const std::string origin = fmt::format("--set {}.{}", what, change.key);
    const Result<Document> value = parse_yaml(change.value, origin);
    const std::string problem =
        value ? place_document(root, change.key, value.value(), origin) : value.error().front().message;
    if (!problem.empty()) problems.push_back({origin, 0, 0, "", problem});
  }
  return problems;
}

}  // namespace bta
