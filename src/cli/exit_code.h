// What the process returns.
#pragma once

namespace bta::cli {

enum class ExitCode {
  done = 0,
  failed = 1,    // a check or a write failed
  unusable = 2,  // input or usage
  nothing_feasible = 3
};

}  // namespace bta::cli
