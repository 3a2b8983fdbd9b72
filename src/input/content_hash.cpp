#include <sha256.h>
#include <sys/types.h>

#include <algorithm>
#include <array>

#include "input/node.h"

namespace bta {
namespace {

void append(std::string& canonical, const Node& node);

/// Length before text: no text can imitate structure.
void append_text(std::string& canonical, const std::string& text) {
  canonical += std::to_string(text.size()) + ":" + text;
}

std::vector<const Node*> meaningful_members(const Node& map) {
  std::vector<const Node*> members;
  for (const Node& child : map.children) {
    const bool note = child.key == "kind" || child.key == "source";
    if (!note && child.kind != Node::Kind::null) members.push_back(&child);
  }
  std::sort(members.begin(), members.end(), [](const Node* x, const Node* y) { return x->key < y->key; });
  return members;
}

void append_map(std::string& canonical, const Node& map) {
  const std::vector<const Node*> members = meaningful_members(map);
  if (members.size() == 1 && members.front()->key == "value") return append(canonical, *members.front());
  canonical += '{';
  for (const Node* member : members) {
    append_text(canonical, member->key);
    append(canonical, *member);
  }
  canonical += '}';
}

void append(std::string& canonical, const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      canonical += '~';
      break;
    case Node::Kind::scalar:
      append_text(canonical, node.text);
      break;
    case Node::Kind::map:
      append_map(canonical, node);
      break;
    case Node::Kind::sequence:
      canonical += '[';
      for (const Node& child : node.children) append(canonical, child);
      canonical += ']';
  }
}

}  // namespace

std::string sha256(std::string_view text) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> hex{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), hex.data());
  return hex.data();
}

std::string content_hash(const Node& root) {
  std::string canonical;
  append(canonical, root);
  return sha256(canonical);
}

}  // namespace bta
