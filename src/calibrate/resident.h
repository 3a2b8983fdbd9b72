// What must stay in the SRAM, from the batches that ran: parameters of memory alone (reserved fraction, score
// heads and tensors). They change no time, so they are fitted apart, over all combinations of
//   score heads 1..largest H of the rows, score tensors 1..4, reserved fraction 0, 0.01 .. 0.5
// A row's micro-batch ran, so it fits; a largest_batch is the largest that does. Best: least
//   sum over rows of ln(batch / largest that fits)^2 where the batch does not fit,
//                  + ln(largest that fits / largest_batch)^2 where it is known
// and among equals (1e-12) the most cautious: most live scores, then most reserved.
// Source: docs/model.md, "Calibration".
#pragma once

#include <vector>

#include "calibrate/run.h"
#include "hardware/parameters.h"

namespace bta {

bool decides_memory_only(const WaferParameter& parameter);

/// Largest uniform micro-batch that fits; 0 when none does.
std::int64_t largest_uniform_batch(const Run& run, const Wafer& wafer);

bool fits(const Run& run, const Wafer& wafer);

struct ResidentEstimate {
  const WaferParameter* parameter = nullptr;
  double value = 0;
  double low = 0, high = 0;  // over all combinations that are equally good
  bool identified = false;   // the rows exclude some of its values
};

struct ResidentFit {
  std::vector<ResidentEstimate> estimates;
  double misfit = 0;  // 0: every row fits, and every largest_batch is met
};

/// `parameters` are of memory only, in any order. Every hardware of the runs gets the same values.
ResidentFit fit_resident(const std::vector<Run>& runs, std::vector<const WaferParameter*> parameters);

}  // namespace bta
