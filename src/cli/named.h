// The one model or hardware that a command takes by its name or file, without an option before it.
#pragma once

#include "cli/option_reader.h"

namespace bta::cli {

/// The one word of a command, or an error: "COMMAND needs NEEDED" when there is none.
std::string read_name(OptionReader& reader, std::string_view command, const std::vector<std::string>& words,
                      std::string_view needed);

/// Built in, or a file.
bool is_there(const std::string& name);

/// JSON is always a model; YAML that reads as neither is hardware when a model does not know its sections.
bool looks_like_hardware(const std::string& name, const Diagnostics& as_model);

}  // namespace bta::cli
