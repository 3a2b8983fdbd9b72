#include "input/tree_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "input/quoted.h"

namespace bta {
namespace {

/// Indices of a map's members; equal keys become neighbours, in document order.
std::vector<std::size_t> by_key(const Node& map) {
  std::vector<std::size_t> order(map.children.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t x, std::size_t y) { return map.children[x].key < map.children[y].key; });
  return order;
}

}  // namespace

bool TreeBuilder::in_map() const {
  return !open_.empty() && open_.back().node.kind == Node::Kind::map;
}

bool TreeBuilder::expects_key() const {
  return in_map() && !open_.back().has_key;
}

std::string TreeBuilder::path() const {
  std::string path;
  for (const Frame& frame : open_) {
    if (!frame.has_key) continue;
    if (!path.empty()) path += '.';
    path += on_one_line(frame.key);
  }
  return path;
}

void TreeBuilder::count_value(Position at) {
  if (++values_ > most_values) {
    throw Refusal{at, "", fmt::format("the document holds more than {} values", most_values)};
  }
}

void TreeBuilder::add(Node node) {
  if (open_.empty()) {
    root_ = std::move(node);
    return;
  }
  Frame& frame = open_.back();
  node.key = std::move(frame.key);
  node.key_at = frame.key_at;
  frame.key.clear();
  frame.has_key = false;
  frame.node.children.push_back(std::move(node));
}

void TreeBuilder::null(Position at) {
  count_value(at);
  if (expects_key()) throw Refusal{at, path(), "a key is empty; a key must be text"};
  Node node;
  // a parser finds an empty value only where the next one begins
  node.at = in_map() && at.line > open_.back().key_at.line ? open_.back().key_at : at;
  add(std::move(node));
}

void TreeBuilder::scalar(Position at, const std::string& text, bool quoted_text) {
  count_value(at);
  if (expects_key()) {
    Frame& frame = open_.back();
    frame.key = text;
    frame.key_at = at;
    frame.has_key = true;
    return;
  }
  Node node;
  node.kind = Node::Kind::scalar;
  node.text = text;
  node.quoted = quoted_text;
  node.at = at;
  add(std::move(node));
}

void TreeBuilder::open(Node::Kind kind, Position at) {
  count_value(at);
  if (expects_key())
    throw Refusal{at, path(),
                  "a list or a map stands where a key must be, or is never closed; a key must be text"};
  if (open_.size() == deepest) {
    throw Refusal{at, "", fmt::format("the document is nested deeper than {} levels", deepest)};
  }
  Frame frame;
  frame.node.kind = kind;
  frame.node.at = at;
  open_.push_back(std::move(frame));
}

void TreeBuilder::note_duplicate(const Node& first, const Node& second) {
  const std::string outer = path();
  duplicates_.push_back({second.key_at, outer + (outer.empty() ? "" : ".") + on_one_line(second.key),
                         fmt::format("key {} stands twice in one map, on lines {} and {}; keep one of them",
                                     in_quotes(second.key), first.key_at.line, second.key_at.line)});
}

void TreeBuilder::drop_duplicates(Node& map) {
  const std::vector<std::size_t> order = by_key(map);
  std::vector<bool> dropped(order.size());
  for (std::size_t i = 1, kept = 0; i < order.size(); ++i) {
    dropped[order[i]] = map.children[order[i]].key == map.children[order[kept]].key;
    if (dropped[order[i]]) {
      note_duplicate(map.children[order[kept]], map.children[order[i]]);
    } else {
      kept = i;
    }
  }
  if (std::find(dropped.begin(), dropped.end(), true) == dropped.end()) return;
  std::vector<Node> kept;
  for (std::size_t i = 0; i < dropped.size(); ++i) {
    if (!dropped[i]) kept.push_back(std::move(map.children[i]));
  }
  map.children = std::move(kept);
}

void TreeBuilder::close() {
  Node node = std::move(open_.back().node);
  open_.pop_back();
  if (node.kind == Node::Kind::map) drop_duplicates(node);
  add(std::move(node));
}

Document TreeBuilder::take_document(const std::string& file) {
  Document document{std::move(root_), {}};
  for (const Refusal& duplicate : duplicates_) document.problems.push_back(duplicate.in(file));
  return document;
}

}  // namespace bta
