// The whole program but for main(): finds the command, hands it its arguments, turns whatever happens
// into an exit code.
#pragma once

#include <string>
#include <vector>

namespace bta::cli {

int run_command_line(const std::vector<std::string>& words);

}  // namespace bta::cli
