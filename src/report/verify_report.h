// The rows of a verification: every claim, what it was tried on, and the worst value of those that fail.
#pragma once

#include <string>

#include "report/format.h"
#include "verify/verify.h"

namespace bta {

/// `request`: what was asked, for the heading and for whoever runs it again.
std::string write_verification(const verify::Verification& verification, const verify::Request& request,
                               Format format);

}  // namespace bta
