// The numbers of a wafer that a cost depends on, each once: its key in the file, how to read and set it, what
// it may be. Calibration, sensitivity and confidence vary them by this list.
//   ratio   a positive number; changes are relative: x -> x*(1 + h), uncertainty is that of log x
//   share   a number in [0, 1]; changes are absolute
//   time    seconds >= 0; changes are absolute
//   whole   a whole number >= 1
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "hardware/wafer.h"

namespace bta {

enum class ParameterScale : std::uint8_t { ratio, share, time, whole };

struct WaferParameter {
  std::string_view key;   // as in the file, e.g. "efficiency.gemm"
  std::string_view unit;  // of value(); empty for a pure number
  ParameterScale scale = ParameterScale::ratio;
  double least = 0;
  double most = 0;
  double (*value)(const Wafer&) = nullptr;
  void (*set)(Wafer&, double) = nullptr;  // whole numbers are rounded to nearest
};

/// In the order of the file.
std::span<const WaferParameter> wafer_parameters();

/// By its key or the last part of it ("gemm"); nullptr when there is none.
const WaferParameter* find_parameter(std::string_view name);

/// "gemm=attention": numbers that share one value, all of one scale; empty when a name is none of them.
std::vector<const WaferParameter*> find_parameters(std::string_view names);

/// The last part of the key: "gemm".
std::string_view short_name(const WaferParameter& parameter);

/// Efficiencies, partial-sum bytes, overlaps and overheads: what no data sheet says, and step times tell.
bool is_fitted_to_times(const WaferParameter& parameter);

/// Where a value is fitted and its uncertainty stated: u = ln x for a ratio, else u = x.
double coordinate(const WaferParameter& parameter, double value);
/// Its inverse, brought into the parameter's range.
double value_at(const WaferParameter& parameter, double coordinate);

/// The wafer with one number replaced, `value` in its range. `numbers` and `content_hash` stay those of the
/// description.
Wafer with(const Wafer& wafer, const WaferParameter& parameter, double value);

}  // namespace bta
