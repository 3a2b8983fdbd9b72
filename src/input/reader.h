// Strict typed access to one map of a document. Every key must be asked for: the ones that were not
// are unknown, and reported with the nearest name that was asked for. null is the same as absent.
// A number is written bare or as {value, kind, source}; a map may carry `kind` and `source`, which
// the numbers below it inherit. Problems go to the log, values come back as optionals.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/count.h"
#include "input/node.h"
#include "input/number.h"
#include "input/quantity.h"
#include "input/read_log.h"

namespace bta {

enum class Need : std::uint8_t { required, optional };

/// The standing of a number: kind is one of datasheet, measured, derived, assumed, calibrated, unstated.
struct Provenance {
  std::string kind = "unstated";
  std::string source;
};

class Reader {
 public:
  /// `path`: dotted path of `map`, empty for the root. The map and the log must outlive the reader.
  Reader(const Node& map, std::string path, Provenance provenance, ReadLog& log);

  std::optional<std::int64_t> integer(std::string_view key, IntegerRange range, Need need = Need::required);
  /// As above, or the one `word` that stands for 0.
  std::optional<std::int64_t> integer_or(std::string_view key, std::string_view word, IntegerRange range);
  std::optional<double> real(std::string_view key, RealRange range, Need need = Need::required);
  std::optional<double> quantity(std::string_view key, Dimension dimension, RealRange range,
                                 Need need = Need::required);
  std::optional<Bytes> bytes(std::string_view key, IntegerRange range, Need need = Need::required);
  std::optional<bool> boolean(std::string_view key, Need need = Need::required);
  std::optional<std::string> text(std::string_view key, Need need = Need::required);
  /// The index of the text in `names`.
  std::optional<std::size_t> choice(std::string_view key, const std::vector<std::string>& names,
                                    Need need = Need::required);
  /// A list of whole numbers without repeats; absent is empty.
  std::vector<std::int64_t> integers(std::string_view key, IntegerRange range);
  /// A list of texts, each one line; absent is empty.
  std::vector<std::string> texts(std::string_view key);

  /// Reads a map below this one with `body(Reader&)` and refuses what `body` did not ask for.
  template <class Body>
  void section(std::string_view key, Body body);

  /// Takes the `kind` and `source` of this map as the standing of its numbers.
  void adopt_provenance();
  void refuse_unknown_keys();

  bool has(std::string_view key) const;        // present and not null; does not count as asked
  bool has_items(std::string_view key) const;  // a list or map that is not empty
  const Node* take(std::string_view key);      // the same, and counts as asked; nullptr when absent
  std::vector<const Node*> unread() const;     // present, never asked for
  const std::vector<std::string>& asked() const { return asked_; }
  void problem(std::string_view key, const std::string& message);
  ReadLog& log() { return *log_; }

 private:
  template <class Value, class Parse>
  std::optional<Value> number(std::string_view key, Need need, bool may_be_quoted, Parse parse);
  std::optional<std::string> line_of(const Node& node, std::string_view key);
  const Node* take_scalar(std::string_view key, Need need, std::string_view wanted);
  const Node* take_needed(std::string_view key, Need need);
  std::string path_of(std::string_view key) const;

  const Node* map_;
  std::string path_;
  Provenance provenance_;
  ReadLog* log_;
  std::vector<std::string> asked_;
};

template <class Body>
void Reader::section(std::string_view key, Body body) {
  const Node* const node = take_needed(key, Need::required);
  if (node == nullptr) return;
  if (node->kind != Node::Kind::map) {
    log_->problem(*node, path_of(key), shown(*node) + " stands where a map of keys is needed");
    return;
  }
  Reader reader(*node, path_of(key), provenance_, *log_);
  reader.adopt_provenance();
  body(reader);
  reader.refuse_unknown_keys();
}

}  // namespace bta
