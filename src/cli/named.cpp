#include "cli/named.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "input/builtin.h"
#include "input/quoted.h"

namespace bta::cli {
namespace {

bool is_in(std::span<const Builtin> builtins, const std::string& name) {
  return std::ranges::find(builtins, name, &Builtin::name) != builtins.end();
}

}  // namespace

std::string read_name(OptionReader& reader, std::string_view command, const std::vector<std::string>& words,
                      std::string_view needed) {
  if (words.size() != 1)
    reader.error("", words.empty() ? fmt::format("{} needs {}", command, needed)
                                   : fmt::format("{} takes one name, found {}", command, words.size()));
  return words.empty() ? "" : words.front();
}

bool is_there(const std::string& name) {
  std::error_code ignored;
  return is_in(builtin_models(), name) || is_in(builtin_hardware(), name) ||
         std::filesystem::exists(name, ignored);
}

bool looks_like_hardware(const std::string& name, const Diagnostics& as_model) {
  if (is_in(builtin_hardware(), name)) return true;
  return !name.ends_with(".json") && std::ranges::any_of(as_model, [](const Diagnostic& error) {
    return error.key == "grid" || error.key == "core" || error.key == "off_wafer" ||
           error.key == "efficiency";
  });
}

}  // namespace bta::cli
