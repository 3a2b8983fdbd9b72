#include "calibrate/calibrate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <charconv>
#include <cmath>

#include "calibrate/fit.h"

namespace bta {
namespace {

constexpr int written_digits = 4;  // of a calibrated value: more would say more than is known

/// Of a fit with one of so many rows left out, beside the fit to all: the more rows, the less one of them
/// moves.
constexpr std::size_t restarts(std::size_t rows) {
  return std::min<std::size_t>(16, 800 / std::max<std::size_t>(1, rows));
}
constexpr std::size_t longest_text = 900;  // bytes that name the runs: a description holds 1000
constexpr double any_confidence = 0.9;     // where only the standing of the values is asked

double error_of(double predicted, double measured) {
  return predicted / measured - 1;
}

/// Free parameters as they are fitted to all rows, started from there; the range stays.
std::vector<FreeParameter> started_at(std::vector<FreeParameter> free, const std::vector<double>& u) {
  for (std::size_t i = 0; i < free.size(); ++i) free[i].start = u[i];
  return free;
}

/// What no row depends on stays as its file has it.
void keep_unnoticed(Uncertainty& fit, std::vector<double>& u) {
  for (std::size_t i = 0; i < u.size(); ++i)
    if (fit.estimates[i].standing == Standing::no_effect)
      fit.estimates[i].u = u[i] = fit.estimates[i].free.start;
}

/// Has every free parameter a row of a hardware that it belongs to?
bool all_have_rows(const std::vector<FreeParameter>& free, const std::vector<Run>& runs) {
  return std::ranges::all_of(free, [&](const FreeParameter& f) {
    return std::ranges::any_of(runs, [&](const Run& run) { return f.applies_to(run.problem.wafer); });
  });
}

/// Is nothing that all rows determine left open by these?
bool still_determined(const Uncertainty& all, const Uncertainty& rest) {
  const auto open = [](const Estimate& e) {
    return e.standing == Standing::no_effect || e.standing == Standing::only_together;
  };
  for (std::size_t i = 0; i < all.estimates.size(); ++i)
    if (open(rest.estimates[i]) && all.estimates[i].standing != rest.estimates[i].standing) return false;
  return true;
}

std::optional<double> left_out_error(std::vector<Run> runs, std::size_t row,
                                     const std::vector<FreeParameter>& free, const Uncertainty& all) {
  const Run out = runs[row];
  runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(row));
  if (runs.size() < free.size() || !all_have_rows(free, runs)) return std::nullopt;
  const std::vector<double> u = least_squares(runs, free, restarts(runs.size()));
  if (!still_determined(all, uncertainty(runs, free, u, any_confidence))) return std::nullopt;
  return error_of(predicted(out, with_parameters(out.problem.wafer, free, u)), out.measured.value());
}

ErrorSummary summary(const std::vector<double>& errors) {
  ErrorSummary result;
  for (const double error : errors) {
    result.mean += std::abs(error) / static_cast<double>(errors.size());
    result.worst = std::max(result.worst, std::abs(error));
  }
  return result;
}

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
  const auto n = static_cast<Eigen::Index>(correlation.size());
  Eigen::MatrixXd matrix(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      matrix(i, j) = correlation[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  const double least = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix).eigenvalues()[0];
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

void mark_calibrated(Wafer& wafer, const std::vector<Estimate>& estimates, const std::string& source) {
  for (const Estimate& estimate : estimates) {
    if (!estimate.free.applies_to(wafer) || estimate.standing == Standing::no_effect) continue;
    for (const WaferParameter* parameter : estimate.free.parameters)
      for (SourcedNumber& number : wafer.numbers)
        if (number.key == parameter->key)
          number = {number.key, as_written(*parameter, parameter->value(wafer)), "calibrated", source};
  }
}

void set_resident(Wafer& wafer, const ResidentFit& resident) {
  for (const ResidentEstimate& estimate : resident.estimates) {
    estimate.parameter->set(wafer, estimate.value);
    for (SourcedNumber& number : wafer.numbers)
      if (number.key == estimate.parameter->key)
        number = {number.key, fmt::format("{}", estimate.value), "calibrated",
                  "the most cautious value with which the measured batches fit"};
  }
}

std::vector<Wafer> calibrated_wafers(const std::vector<Run>& runs, const std::vector<Run>& fitted,
                                     const Calibration& result, const std::vector<FreeParameter>& free,
                                     const std::vector<double>& u) {
  const Uncertainty& fit = result.fit;
  std::vector<Wafer> wafers;
  for (const Run& run : runs) {
    const Wafer& base = run.problem.wafer;
    if (std::ranges::any_of(wafers, [&](const Wafer& w) { return w.name == base.name; })) continue;
    Wafer wafer = with_parameters(base, free, u);
    round_values(wafer, free);
    wafer.calibration.reset();
    CalibrationRecord record = record_for(wafer, fit, fitted);
    mark_calibrated(wafer, fit.estimates, "least squares of ln(predicted/measured) over: " + record.rows);
    if (!record.values.empty()) wafer.calibration = std::move(record);
    set_resident(wafer, result.resident);
    wafers.push_back(std::move(wafer));
  }
  return wafers;
}

/// On the calibrated wafer of the run's name.
void add_memory(RowResult& row, const Run& run, const std::vector<Wafer>& wafers) {
  const auto own = std::ranges::find(wafers, run.problem.wafer.name, &Wafer::name);
  row.fits = fits(run, *own);
  row.largest_batch = largest_uniform_batch(run, *own);
}

/// A name that two different wafers of the runs share; empty when there is none.
std::string name_of_two(const std::vector<Run>& runs) {
  for (const Run& run : runs)
    for (const Run& other : runs)
      if (run.problem.wafer.name == other.problem.wafer.name &&
          run.problem.wafer.content_hash != other.problem.wafer.content_hash)
        return run.problem.wafer.name;
  return "";
}

}  // namespace

std::string why_not(const CalibrationRequest& request) {
  const std::vector<Run> fitted = fitted_runs(request.runs);
  if (fitted.empty()) return "no row has a measured throughput and is to be fitted";
  if (const std::string name = name_of_two(request.runs); !name.empty())
    return fmt::format("two different descriptions of hardware are both named {}; give each its own name",
                       name);
  const std::vector<FreeParameter> free = free_parameters(request.freedoms, fitted);
  if (free.size() <= fitted.size()) return "";
  return fmt::format("{} row{} cannot determine {} values; free fewer of them, or measure more runs",
                     fitted.size(), fitted.size() == 1 ? "" : "s", free.size());
}

Calibration calibrate(const CalibrationRequest& request) {
  const std::vector<Run> fitted = fitted_runs(request.runs);
  const std::vector<FreeParameter> free = free_parameters(request.freedoms, fitted);
  std::vector<double> u = least_squares(fitted, free);
  Calibration result;
  result.fit = uncertainty(fitted, free, u, request.confidence);
  keep_unnoticed(result.fit, u);
  std::vector<double> errors, left_out;
  std::size_t row = 0;  // among the fitted
  for (const Run& run : request.runs) {
    RowResult& out = result.rows.emplace_back();
    out.predicted = predicted(run, with_parameters(run.problem.wafer, free, u));
    if (run.measured) out.error = error_of(out.predicted, *run.measured);
    if (!run.fitted || !run.measured) continue;
    errors.push_back(*out.error);
    out.left_out = left_out_error(fitted, row++, started_at(free, u), result.fit);
    if (out.left_out) left_out.push_back(*out.left_out);
  }
  result.residual = summary(errors);
  if (left_out.size() == errors.size()) result.left_out = summary(left_out);
  result.resident = fit_resident(request.runs, request.of_memory);
  result.wafers = calibrated_wafers(request.runs, fitted, result, free, u);
  for (std::size_t i = 0; i < result.rows.size(); ++i)
    add_memory(result.rows[i], request.runs[i], result.wafers);
  return result;
}

}  // namespace bta
