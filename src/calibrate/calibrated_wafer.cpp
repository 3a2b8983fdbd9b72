#include "calibrate/calibrated_wafer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace bta {
namespace {

constexpr int written_digits = 4;          // of a calibrated value: more would say more than is known
constexpr std::size_t longest_text = 900;  // bytes that name the runs: a description holds 1000

std::string rows_in_words(const std::vector<Run>& fitted) {
  std::vector<std::string> names;
  for (const Run& run : fitted) names.push_back(run.name);
  std::string all = fmt::format("{}", fmt::join(names, "; "));
  if (all.size() <= longest_text) return all;
  all = fmt::format("{} runs, from {} to {}", fitted.size(), names.front(), names.back());
  return all.size() <= longest_text ? all : fmt::format("{} runs", fitted.size());
}

double rounded(double value) {
  const std::string text = fmt::format("{:.{}g}", value, written_digits);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Decimals that keep a matrix of correlations what it is: more when some are near 1, or together near it.
int decimals_for(const std::vector<std::vector<double>>& correlation) {
  const double least = least_eigenvalue(correlation);
  return written_digits + static_cast<int>(-std::log10(std::clamp(least, 1e-12, 1.0)));
}

void round_correlations(std::vector<std::vector<double>>& correlation) {
  if (correlation.empty()) return;
  const double unit = std::pow(10, decimals_for(correlation));
  for (std::vector<double>& row : correlation)
    for (double& r : row) r = std::round(r * unit) / unit;
}

CalibrationRecord record_for(const Wafer& wafer, const Uncertainty& fit, const std::vector<Run>& fitted) {
  CalibrationRecord record{
      rows_in_words(fitted), fit.degrees_of_freedom, rounded(fit.scatter.value_or(0)), {}, {}};
  std::vector<std::size_t> own;
  for (std::size_t i = 0; i < fit.estimates.size(); ++i) {
    const Estimate& estimate = fit.estimates[i];
    if (!estimate.standard_error) continue;
    if (!estimate.free.applies_to(wafer)) continue;
    own.push_back(i);
    FreeParameter free = estimate.free;
    free.hardware.clear();
    record.values.push_back({shown_name(free), rounded(*estimate.standard_error)});
  }
  for (const std::size_t i : own) {
    record.correlation.emplace_back();
    for (const std::size_t j : own) record.correlation.back().push_back(fit.correlation[i][j]);
  }
  round_correlations(record.correlation);
  return record;
}

void round_values(Wafer& wafer, const std::vector<FreeParameter>& free) {
  for (const FreeParameter& f : free) {
    if (!f.applies_to(wafer)) continue;
    for (const WaferParameter* parameter : f.parameters)
      parameter->set(wafer, rounded(parameter->value(wafer)));
  }
}

std::string as_written(const WaferParameter& parameter, double value) {
  return parameter.scale == ParameterScale::time ? fmt::format("{:.{}g}ms", 1000 * value, written_digits)
                                                 : fmt::format("{}", value);
}

/// What a fitted value is, for its kind and source: only what the rows determine is calibrated.
SourcedNumber fitted_number(const WaferParameter& parameter, double value, Standing standing,
                            const std::string& rows) {
  const std::string key(parameter.key), text = as_written(parameter, value);
  if (standing == Standing::only_together)
    return {key, text, "assumed", "not identified alone, only together with others, by: " + rows};
  if (standing == Standing::at_an_end)
    return {key, text, "assumed", "at the end of its range in a fit to: " + rows};
  return {key, text, "calibrated", "least squares of ln(predicted/measured) over: " + rows};
}

void replace_number(Wafer& wafer, const SourcedNumber& by) {
  const auto number = std::ranges::find(wafer.numbers, by.key, &SourcedNumber::key);
  if (number != wafer.numbers.end()) *number = by;
}

void mark_fitted(Wafer& wafer, const std::vector<Estimate>& estimates, const std::string& rows) {
  for (const Estimate& estimate : estimates) {
    if (!estimate.free.applies_to(wafer) || estimate.standing == Standing::no_effect) continue;
    for (const WaferParameter* parameter : estimate.free.parameters)
      replace_number(wafer, fitted_number(*parameter, parameter->value(wafer), estimate.standing, rows));
  }
}

/// What the batches say nothing about stays as the file has it.
void set_resident(Wafer& wafer, const ResidentFit& resident) {
  for (const ResidentEstimate& estimate : resident.estimates) {
    if (!estimate.identified) continue;
    estimate.parameter->set(wafer, estimate.value);
    replace_number(wafer, {std::string(estimate.parameter->key), fmt::format("{}", estimate.value),
                           "calibrated", "the most cautious value with which the measured batches fit"});
  }
}

/// Without a fitted value of time the record that the file has still holds.
bool fits_time(const Wafer& wafer, const Uncertainty& fit) {
  return std::ranges::any_of(fit.estimates, [&](const Estimate& e) { return e.free.applies_to(wafer); });
}

void add_record(Wafer& wafer, const Uncertainty& fit, const std::vector<Run>& fitted) {
  if (!fits_time(wafer, fit)) return;
  CalibrationRecord record = record_for(wafer, fit, fitted);
  mark_fitted(wafer, fit.estimates, record.rows);
  const bool keeps_any = !record.values.empty();
  wafer.calibration = std::move(record);
  if (!keeps_any) wafer.calibration.reset();
}

}  // namespace

std::vector<Wafer> calibrated_wafers(const std::vector<Run>& runs, const std::vector<Run>& fitted,
                                     const Uncertainty& fit, const ResidentFit& resident) {
  std::vector<FreeParameter> free;
  std::vector<double> u;
  for (const Estimate& estimate : fit.estimates) {
    free.push_back(estimate.free);
    u.push_back(estimate.u);
  }
  std::vector<Wafer> wafers;
  for (const Run& run : runs) {
    const Wafer& base = run.problem.wafer;
    if (std::ranges::any_of(wafers, [&](const Wafer& w) { return w.name == base.name; })) continue;
    Wafer wafer = with_parameters(base, free, u);
    round_values(wafer, free);
    add_record(wafer, fit, fitted);
    set_resident(wafer, resident);
    wafers.push_back(std::move(wafer));
  }
  return wafers;
}

}  // namespace bta
