// Parser events become a Node tree. What both YAML and JSON must refuse is found here: duplicate keys,
// keys that are not text, nesting deeper than 64, more values than any description has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "input/document.h"
#include "input/node.h"

namespace bta {

/// Thrown by TreeBuilder and by event handlers, caught by the parser that owns them: leaves no room.
struct Refusal {
  Position at;
  std::string key;
  std::string message;
  Diagnostic in(const std::string& file) const { return {file, at.line, at.column, key, message}; }
};

class TreeBuilder {
 public:
  static constexpr std::size_t deepest = 64;
  static constexpr int most_values = 100'000;

  void null(Position at);
  void scalar(Position at, const std::string& text, bool quoted);
  void open(Node::Kind kind, Position at);
  void close();

  /// The next scalar is a key of the innermost map.
  bool expects_key() const;
  /// Dotted path of the value that comes next.
  std::string path() const;
  /// The whole document, null when there were no events, and its duplicate keys.
  Document take_document(const std::string& file);

 private:
  struct Frame {
    Node node;
    std::string key;  // of the value that comes next, in a map
    Position key_at;
    bool has_key = false;
  };

  bool in_map() const;
  void add(Node node);
  void drop_duplicates(Node& map);
  void note_duplicate(const Node& first, const Node& second);
  void count_value(Position at);

  std::vector<Frame> open_;
  Node root_;
  std::vector<Refusal> duplicates_;
  int values_ = 0;
};

}  // namespace bta
