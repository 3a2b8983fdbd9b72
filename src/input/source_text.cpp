#include "input/source_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "input/number.h"
#include "input/override_tree.h"
#include "input/quoted.h"
#include "input/text_file.h"

namespace bta {
namespace {

namespace fs = std::filesystem;

/// By its name, or for other names by its first character.
bool is_json(const fs::path& path, const std::string& text) {
  const std::string extension = path.extension().string();
  if (extension == ".json") return true;
  if (extension == ".yaml" || extension == ".yml") return false;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{';
}

/// A config.json is named after its folder, any other file after itself; never with a path.
std::string name_of_file(const fs::path& path) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(path, ignored).lexically_normal();
  const std::string name =
      path.filename() == "config.json" ? whole.parent_path().filename().string() : path.stem().string();
  return name.empty() ? "unnamed" : name;
}

Diagnostic not_a_map(const Node& root, const std::string& file) {
  if (root.kind == Node::Kind::null) return {file, 0, 0, "", "the file is empty; a map of keys is needed"};
  return {file, root.at.line, root.at.column, "",
          fmt::format("the file holds {}; a map of keys is needed", shown(root))};
}

}  // namespace

std::string nothing_named(const std::string& wanted, std::span<const Builtin> builtins) {
  std::vector<std::string> names;
  for (const Builtin& builtin : builtins) names.emplace_back(builtin.name);
  const std::string nearest = nearest_name(wanted, names);
  const std::string help = nearest.empty()
                               ? "built in: " + joined(names)
                               : fmt::format("did you mean '{}'? 'bta-plan list' names all", nearest);
  return fmt::format("{} is neither built in nor a file; {}", in_quotes(wanted), help);
}

Result<SourceText> find_source(const std::string& name_or_path, std::span<const Builtin> builtins,
                               const std::string& what) {
  const auto builtin = std::find_if(builtins.begin(), builtins.end(),
                                    [&](const Builtin& candidate) { return candidate.name == name_or_path; });
  if (builtin != builtins.end()) {
    return SourceText{"built-in " + name_or_path, std::string(builtin->text), false, name_or_path};
  }
  std::error_code ignored;
  if (!fs::exists(name_or_path, ignored))
    return Diagnostics{{"", 0, 0, "--" + what, nothing_named(name_or_path, builtins)}};
  Result<std::string> text = read_text_file(name_or_path);
  if (!text) return text.error();
  const bool json = is_json(name_or_path, text.value());
  return SourceText{name_or_path, std::move(text).value(), json, name_of_file(name_or_path)};
}

Result<Document> effective_document(const SourceText& source, const std::vector<Override>& overrides,
                                    const std::string& what) {
  Result<Document> document =
      source.json ? parse_json(source.text, source.file) : parse_yaml(source.text, source.file);
  if (!document) return document;
  const Node& root = document.value().root;
  if (root.kind != Node::Kind::map) return Diagnostics{not_a_map(root, source.file)};
  Diagnostics problems = apply_overrides(document.value().root, overrides, what);
  std::move(problems.begin(), problems.end(), std::back_inserter(document.value().problems));
  return document;
}

}  // namespace bta
