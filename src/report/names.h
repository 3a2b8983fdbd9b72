// The words for every choice of a workload: the same in options, tables, CSV and JSON.
// Each array stands in the order of its enumeration.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "cost/workload.h"

namespace bta {

inline constexpr std::array<std::string_view, 3> mask_names = {"full", "causal", "half"};
inline constexpr std::array<std::string_view, 2> attention_names = {"materialized", "blocked"};
inline constexpr std::array<std::string_view, 3> checkpoint_names = {"XY", "X", "wafer"};
inline constexpr std::array<std::string_view, 2> placement_names = {"masked", "compacted"};
inline constexpr std::array<std::string_view, 3> precision_names = {"fp16", "bf16", "fp32"};

std::string_view name_of(Mask mask);
std::string_view name_of(AttentionKernel kernel);
std::string_view name_of(Checkpoint checkpoint);
std::string_view name_of(Placement placement);
std::string_view name_of(Precision precision);

/// `balanced`, `zipf:A`, or the name of the file of measured counts.
std::string name_of(const Routing& routing);
/// Of the file of a measured routing; else empty.
std::string hash_of(const Routing& routing);

}  // namespace bta
