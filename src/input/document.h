// Text becomes a Node tree, or diagnostics with line and column. Nothing is thrown, nothing printed.
// Input is valid UTF-8 without a byte-order mark (see text_file.h); `file` names it in diagnostics.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "input/node.h"

namespace bta {

/// A tree, and what is wrong with it although it could be read to its end: duplicate keys, of which
/// the tree keeps the first, so that everything wrong in a file can be reported together.
struct Document {
  Node root;
  Diagnostics problems;
};

/// One YAML 1.2 document over yaml-cpp's events. Refused: anchors, aliases, merge keys, tags,
/// duplicate keys, keys that are not text, further documents, deep nesting. An empty text is null.
Result<Document> parse_yaml(std::string_view text, const std::string& file);

/// One JSON text (RFC 8259) over nlohmann-json's events. Numbers keep their digits as written.
/// Refused: duplicate keys, comments, NaN and Infinity, deep nesting.
Result<Document> parse_json(std::string_view text, const std::string& file);

/// A CSV table (RFC 4180) over libcsv: a sequence of maps, one per row, keyed by the names of the first
/// row. Quotes do not make text of a number: no cell is `quoted`; an empty cell is null. Lines that
/// begin with # and empty lines are skipped. Refused: other separators than commas, names that are
/// empty or stand twice, rows of another width than the first, quotes out of place.
Result<Document> parse_csv(std::string_view text, const std::string& file);

}  // namespace bta
