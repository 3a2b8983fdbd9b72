// JSON text of a tree: two spaces of indent, keys in the order they were put in, strict RFC 8259.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/grid.h"

namespace bta {

using Json = nlohmann::ordered_json;

/// Absent becomes null.
Json to_json(const Cell& value);

/// One object per row.
Json to_json(const Grid& grid);

/// The document with a final line break.
std::string write_json(const Json& tree);

}  // namespace bta
