// A measured run as the cost model sees it, and what the model predicts for it with other parameters.
//   predicted tokens/s = batch*S / (steps * step_time(problem, tiling))
//   steps = ceil(ceil(batch/wafers) / N): what gradients are accumulated over; the last one may be part full
// Row loads do not depend on a wafer's rates: they are worked out once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cost/step_time.h"

namespace bta {

struct Run {
  std::string name;
  Problem problem;  // on the wafer as its file has it
  Tiling tiling;
  std::int64_t batch = 1;  // sequences of all wafers in one optimizer step
  std::vector<LayerLoads> loads;
  std::optional<double> measured;             // tokens/s of all wafers; absent: only known to fit
  std::optional<std::int64_t> largest_batch;  // the largest uniform batch that fitted
  bool fitted = true;                         // false: reported only
};

/// `batch` absent: one full micro-batch on every wafer.
Run make_run(std::string name, Problem problem, Tiling tiling,
             std::optional<std::int64_t> batch = std::nullopt);

/// tokens/s of all wafers.
double predicted(const Run& run, const Wafer& wafer);

}  // namespace bta
