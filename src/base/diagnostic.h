// What went wrong with an input, where, and what to do: errors are values, the library never prints.
#pragma once

#include <boost/outcome/basic_result.hpp>
#include <boost/outcome/policy/all_narrow.hpp>
#include <string>
#include <vector>

namespace bta {

struct Diagnostic {
  std::string file;     // as the user named it; "command line" for options
  int line = 0;         // 1-based; 0 = no position
  int column = 0;       // 1-based; 0 = no position
  std::string key;      // dotted key path or option name; may be empty
  std::string message;  // what was found, what is allowed, the remedy
};

using Diagnostics = std::vector<Diagnostic>;

/// `file:line:column: error: key: message`, absent parts left out.
std::string to_string(const Diagnostic& diagnostic);

/// Either a T or every diagnostic found.
template <class T>
using Result = boost::outcome_v2::basic_result<T, Diagnostics, boost::outcome_v2::policy::all_narrow>;

}  // namespace bta
