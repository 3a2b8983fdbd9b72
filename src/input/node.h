// One document tree for YAML, JSON and CSV alike, with the place of every value and key.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bta {

/// 1-based, counted in characters; 0 = no position.
struct Position {
  int line = 0;
  int column = 0;
  auto operator<=>(const Position&) const = default;
};

struct Node {
  enum class Kind : std::uint8_t { null, scalar, sequence, map };

  Kind kind = Kind::null;
  bool quoted = false;  // a scalar in quotes is text, never a number
  std::string text;     // of a scalar
  Position at;
  std::string key;  // of this child of a map
  Position key_at;
  std::string origin;          // the option that put this value here; empty = the file
  std::vector<Node> children;  // in document order
};

/// The child of a map with this key, or nullptr.
const Node* find(const Node& map, std::string_view key);

/// "nothing", "'text'", "a list" or "a map": for messages.
std::string shown(const Node& node);

/// SHA-256, in hex, of the meaning of a tree: keys sorted, null members left out, `kind` and `source`
/// left out, and a number written as {value: N} the same as N.
std::string content_hash(const Node& root);

/// SHA-256 of a text, in hex.
std::string sha256(std::string_view text);

}  // namespace bta
