// The reference tiled executor against the closed forms: every claim is run and becomes one row.
//
// Without --shape-only, numerical claims run a scaled-down model (verify/scale.h says how) in double and
// float; the counts also run random configurations; the time of the scaled model is compared with the mean of
// many seeded runs. Shapes alone are run at full size, at the planned (B, G) and one step beyond the memory
// limit.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cost/problem.h"
#include "verify/check.h"

namespace bta::verify {

struct Request {
  Problem problem;               // full size
  std::optional<Tiling> tiling;  // of the scaled run, or with shape_only of the full-size run; absent: chosen
  std::uint64_t seed = 1;        // of weights, tokens, random configurations and routing
  bool shape_only = false;       // only the full-size shapes
  bool results = true;           // also what the executor computes: no closed form enters these checks
  std::int64_t random_cases = 200;  // random configurations whose counts are compared
};

/// A check that is yet to be run.
struct Task {
  std::string claim;
  std::function<Check()> run;
};
/// The checks of a request in their order, quick ones first. Each holds what it needs.
std::vector<Task> tasks(const Request& request);

struct Verification {
  std::vector<std::string> notes;  // how the model was scaled, what is not covered
  std::vector<Check> checks;
  bool passed() const;
};

/// Told before every check: its claim, how many are done, how many there are.
using Progress = std::function<void(std::string_view claim, std::size_t done, std::size_t total)>;

/// All tasks. They throw std::invalid_argument for what cannot be run (mask half), std::overflow_error beyond
/// 64 bits.
Verification verify(const Request& request, const Progress& progress = {});

}  // namespace bta::verify
