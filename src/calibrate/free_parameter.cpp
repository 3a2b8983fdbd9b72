#include "calibrate/free_parameter.h"

#include <fmt/format.h>

#include <algorithm>

namespace bta {
namespace {

constexpr double widest_factor = 100;  // of a ratio, to either side of the file's value

/// Seconds of the longest measured step: no overhead of a layer, tile or expert is longer.
double longest_step(const std::vector<Run>& runs) {
  double longest = 0;
  for (const Run& run : runs) {
    const Tokens tokens = micro_batch_tokens(run.tiling, run.problem.workload.seq_len);
    const double all = as_double(tokens) * as_double(run.problem.workload.wafers);
    if (run.measured) longest = std::max(longest, all / *run.measured);
  }
  return longest;
}

FreeParameter bounded(const std::vector<const WaferParameter*>& parameters, std::string hardware,
                      const std::vector<Run>& runs) {
  FreeParameter free{parameters, std::move(hardware)};
  const auto run = std::ranges::find_if(runs, [&](const Run& r) { return free.applies_to(r.problem.wafer); });
  const WaferParameter& lead = free.lead();
  const double now = lead.value(run->problem.wafer);
  double least = lead.least, most = lead.most;
  if (lead.scale == ParameterScale::ratio) {
    least = std::max(least, now / widest_factor);
    most = std::min(most, now * widest_factor);
  }
  if (lead.scale == ParameterScale::time) most = std::min(most, longest_step(runs));
  free.least = coordinate(lead, least);
  free.most = coordinate(lead, most);
  free.start = coordinate(lead, std::clamp(now, least, most));
  return free;
}

std::vector<std::string> wafers_of(const std::vector<Run>& runs) {
  std::vector<std::string> wafers;
  for (const Run& run : runs)
    if (std::ranges::find(wafers, run.problem.wafer.name) == wafers.end())
      wafers.push_back(run.problem.wafer.name);
  return wafers;
}

}  // namespace

bool can_be_free(const WaferParameter& parameter) {
  return is_fitted_to_times(parameter) || parameter.key.starts_with("attention_kernel.score_") ||
         parameter.key == "core.reserved_fraction";
}

std::string shown_name(const FreeParameter& free) {
  std::string names;
  for (const WaferParameter* parameter : free.parameters)
    names += fmt::format("{}{}", names.empty() ? "" : "=", short_name(*parameter));
  return free.hardware.empty() ? names : fmt::format("{} of {}", names, free.hardware);
}

std::vector<FreeParameter> free_parameters(const std::vector<Freedom>& freedoms,
                                           const std::vector<Run>& runs) {
  std::vector<FreeParameter> free;
  for (const Freedom& freedom : freedoms) {
    const std::vector<std::string> owners = freedom.separate ? wafers_of(runs) : std::vector<std::string>{""};
    for (const std::string& owner : owners) free.push_back(bounded(freedom.parameters, owner, runs));
  }
  return free;
}

Wafer with_parameters(const Wafer& wafer, const std::vector<FreeParameter>& free,
                      const std::vector<double>& u) {
  Wafer result = wafer;
  for (std::size_t i = 0; i < free.size(); ++i) {
    if (!free[i].applies_to(wafer)) continue;
    for (const WaferParameter* parameter : free[i].parameters) parameter->set(result, free[i].value(u[i]));
  }
  return result;
}

}  // namespace bta
