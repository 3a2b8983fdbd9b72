// The rules of the house, as functions over the text of one source file. Each returns the breaches
// found, one sentence each; empty means the file keeps the rule. `path` is relative to src/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bta::house {

struct SourceFile {
  std::string path;  // e.g. "cost/time.h"
  std::string text;
};

/// Every .h and .cpp under src/, sorted by path.
std::vector<SourceFile> source_files();

/// Inner rooms never include outer ones; includes are written from src/ on.
std::vector<std::string> include_breaches(const SourceFile& file);

/// The executor shares structs, the operator list and the names of phases with `cost`, and no formula.
std::vector<std::string> sharing_breaches(const SourceFile& file);

/// Parsers of files belong to `input`, the parser of options to `cli` and main.
std::vector<std::string> library_breaches(const SourceFile& file);

/// Only `cli` and main print or end the process.
std::vector<std::string> silence_breaches(const SourceFile& file);

/// A file stays below `max_lines`.
std::vector<std::string> size_breaches(const SourceFile& file);
inline constexpr int max_lines = 500;

/// The text with comments, string and character literals blanked; line breaks stay.
std::string code_of(std::string_view text);

}  // namespace bta::house
