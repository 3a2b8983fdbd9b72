// Where a description comes from: a name that is built in, or a file; and its tree after overrides.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "input/builtin.h"
#include "input/document.h"
#include "input/load.h"
#include "input/node.h"

namespace bta {

struct SourceText {
  std::string file;  // as diagnostics name it
  std::string text;
  bool json = false;
  std::string fallback_name;  // the description's name when it declares none
};

/// What to say of a name that is none of these and no file: the nearest of them, or all.
std::string nothing_named(const std::string& wanted, std::span<const Builtin> builtins);

/// A built-in of that name, else the file. `what` is "model" or "hardware".
Result<SourceText> find_source(const std::string& name_or_path, std::span<const Builtin> builtins,
                               const std::string& what);

/// The root map of the text with every override in place that can be placed. An overridden value
/// carries its option ("--set model.KEY") as origin; so do the diagnostics about it.
Result<Document> effective_document(const SourceText& source, const std::vector<Override>& overrides,
                                    const std::string& what);

}  // namespace bta
