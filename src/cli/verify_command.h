// The end of `verify`: its report is written whatever it says.
#pragma once

#include "cli/exit_code.h"
#include "cli/output.h"
#include "report/format.h"
#include "verify/verify.h"

namespace bta::cli {

/// done when every claim holds and the report is written; else failed.
ExitCode deliver(const verify::Verification& verification, const verify::Request& request, Format format,
                 Output& output);

}  // namespace bta::cli
