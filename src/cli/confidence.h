// `--confidence [P]`: the probability with which an interval holds.
#pragma once

#include <optional>

#include "cli/option_reader.h"

namespace bta::cli {

inline constexpr double default_confidence = 0.9;

/// Absent when the option is; without a value the default.
std::optional<double> read_confidence(OptionReader& reader);

}  // namespace bta::cli
