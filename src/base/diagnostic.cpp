#include "base/diagnostic.h"

#include <fmt/format.h>

namespace bta {

std::string to_string(const Diagnostic& diagnostic) {
  std::string text = diagnostic.file;
  if (diagnostic.line > 0) text += fmt::format(":{}", diagnostic.line);
  if (diagnostic.line > 0 && diagnostic.column > 0) text += fmt::format(":{}", diagnostic.column);
  if (!text.empty()) text += ": ";
  text += "error: ";
  if (!diagnostic.key.empty()) text += diagnostic.key + ": ";
  return text + diagnostic.message;
}

}  // namespace bta
