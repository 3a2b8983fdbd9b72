// Tokens per expert, counted in a real run, from a CSV file. Columns (others are refused):
//   expert   0, 1, .. E-1, each once in every layer
//   tokens   >= 0, fractions allowed, in every layer at least one above 0
//   layer    (optional) any whole number. Expert 3 of one layer has nothing to do with expert 3 of another,
//   so
//            counts are never summed: the shares of every layer are put in descending order, and their mean
//            over the layers, place by place, is the profile
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "model/measured_routing.h"

namespace bta {

Result<MeasuredRouting> load_routing(const std::string& path);

/// `file` as diagnostics name it; the routing takes its name without folder.
Result<MeasuredRouting> read_routing(std::string_view text, const std::string& file);

}  // namespace bta
