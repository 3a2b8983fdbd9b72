#include "cli/confidence.h"

namespace bta::cli {

std::optional<double> read_confidence(OptionReader& reader) {
  constexpr RealRange range{0.5, 0.99, false, false};
  if (!reader.has("--confidence")) return std::nullopt;
  if (reader.text("--confidence").value_or("").empty()) return default_confidence;
  return reader.real("--confidence", range).value_or(default_confidence);
}

}  // namespace bta::cli
