#include "input/node.h"

#include <algorithm>

#include "input/quoted.h"

namespace bta {

const Node* find(const Node& map, std::string_view key) {
  const auto child = std::find_if(map.children.begin(), map.children.end(),
                                  [key](const Node& candidate) { return candidate.key == key; });
  return map.kind == Node::Kind::map && child != map.children.end() ? &*child : nullptr;
}

std::string shown(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::scalar:
      return in_quotes(node.text);
    case Node::Kind::sequence:
      return "a list";
    case Node::Kind::map:
      return "a map of keys";
  }
  return {};
}

}  // namespace bta
