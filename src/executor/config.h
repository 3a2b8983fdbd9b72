// What one run of the executor is given.
#pragma once

#include <cstdint>
#include <vector>

#include "cost/workload.h"
#include "hardware/wafer.h"
#include "model/model.h"

namespace bta::executor {

struct Config {
  Model model;
  Wafer wafer;
  Workload workload;
  Tiling tiling;
  std::int64_t head_chunk = 1;                // hc, tokens
  std::vector<std::int64_t> expert_capacity;  // cap of every layer, tokens; 0 for a dense one
};

}  // namespace bta::executor
