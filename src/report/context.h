// What every output says about its own making: the conventions, the workload, and what is assumed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cost/workload.h"
#include "hardware/wafer.h"
#include "model/model.h"

namespace bta {

inline constexpr int schema_version = 1;
inline constexpr std::string_view tool_name = "bta-plan";

struct Convention {
  std::string_view name;
  std::string_view meaning;
};
const std::vector<Convention>& conventions();
std::string_view mask_meaning(Mask mask);

/// Is the number something other than published or measured fact?
bool is_assumption(const SourcedNumber& number);

/// hc: the workload's, or the one fitted to the grid.
std::int64_t head_chunk_tokens(const Wafer& wafer, const Workload& workload);

/// "MODEL on HARDWARE, 1 wafer" and one line of the workload's conventions.
std::string heading_lines(const Model& model, const Wafer& wafer, const Workload& workload);

/// How well measured runs determine the calibrated numbers; empty when that is not known.
std::string calibration_note(const Wafer& wafer);

/// One text for each kind: "calibrated: efficiency.gemm 0.45, ..."; then the workload's own defaults.
std::vector<std::string> assumption_notes(const Wafer& wafer, const Workload& workload);

/// All of them in one cell: "efficiency.gemm=0.45 (calibrated); ...".
std::string assumptions_in_one_line(const Wafer& wafer);

}  // namespace bta
