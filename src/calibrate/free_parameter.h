// A value that a fit may move: which numbers of which wafers, and how far, in the coordinate of
// hardware/parameters.h.
//   ratio   within a factor of 100 of the file's value, and within what the file may hold
//   time    up to the longest step of the rows
// Source: docs/model.md, "Calibration".
#pragma once

#include <string>
#include <vector>

#include "calibrate/run.h"
#include "hardware/parameters.h"

namespace bta {

/// Numbers that share one value; every hardware has the same, or its own.
struct Freedom {
  std::vector<const WaferParameter*> parameters;
  bool separate = false;
};

struct FreeParameter {
  std::vector<const WaferParameter*> parameters;
  std::string hardware;  // of these rows only; empty: of all
  double least = 0;      // of the coordinate
  double most = 0;
  double start = 0;  // the first number in its file, brought into range

  const WaferParameter& lead() const { return *parameters.front(); }
  bool applies_to(const Wafer& wafer) const { return hardware.empty() || hardware == wafer.name; }
  double value(double u) const { return value_at(lead(), u); }
};

/// Efficiencies, partial-sum bytes, overlaps, overheads, and what decides resident scores; the rest of a
/// wafer is known or published.
bool can_be_free(const WaferParameter& parameter);

/// "gemm=attention", or "gemm of cerebras-cs3" when it is that one's own.
std::string shown_name(const FreeParameter& free);

/// `runs` is not empty.
std::vector<FreeParameter> free_parameters(const std::vector<Freedom>& freedoms,
                                           const std::vector<Run>& runs);

/// The wafer with every free parameter that is its own set; `u` in the order of `free`.
Wafer with_parameters(const Wafer& wafer, const std::vector<FreeParameter>& free,
                      const std::vector<double>& u);

}  // namespace bta
