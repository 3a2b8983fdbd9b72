// Which point `explain` was asked about.
#pragma once

#include <optional>

#include "cli/option_reader.h"
#include "cost/workload.h"

namespace bta::cli {

/// Absent: the optimum. B, G and the micro-batch must agree; the reader has the errors.
std::optional<Tiling> read_tiling(OptionReader& reader);

}  // namespace bta::cli
