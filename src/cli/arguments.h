// The words of a command line, sorted into options and the rest. Values stay text: numbers are read by
// the same strict reader as in files (see option_reader.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "cli/option_table.h"

namespace bta::cli {

struct Arguments {
  std::map<std::string, std::vector<std::string>> options;  // by long name; a switch holds one empty text
  std::vector<std::string> words;                           // in order
  Diagnostics errors;                                       // unknown or repeated options
  bool has(const std::string& option) const { return options.contains(option); }
};

/// Fails only when the words cannot be told apart: an option at the end without its value.
Result<Arguments> parse_arguments(const std::vector<OptionRow>& known, const std::vector<std::string>& words);

/// An error of the command line.
Diagnostic option_error(std::string option, std::string message);

}  // namespace bta::cli
