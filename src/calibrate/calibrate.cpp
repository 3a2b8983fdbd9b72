#include "calibrate/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibrate/calibrated_wafer.h"
#include "calibrate/fit.h"

namespace bta {
namespace {

/// Of a fit with one of so many rows left out, beside the fit to all: the more rows, the less one of them
/// moves.
constexpr std::size_t restarts(std::size_t rows) {
  return std::min<std::size_t>(16, 800 / std::max<std::size_t>(1, rows));
}
constexpr double any_confidence = 0.9;  // where only the standing of the values is asked

double error_of(double predicted, double measured) {
  return predicted / measured - 1;
}

/// Free parameters as they are fitted to all rows, started from there; the range stays.
std::vector<FreeParameter> started_at(std::vector<FreeParameter> free, const std::vector<double>& u) {
  for (std::size_t i = 0; i < free.size(); ++i) free[i].start = u[i];
  return free;
}

/// What no row depends on stays as its file has it; what is as good as at an end is there.
void settle(Uncertainty& fit, std::vector<double>& u) {
  for (std::size_t i = 0; i < u.size(); ++i) {
    Estimate& estimate = fit.estimates[i];
    const auto& [least, most] = std::pair(estimate.free.least, estimate.free.most);
    if (estimate.standing == Standing::no_effect) estimate.u = estimate.free.start;
    if (estimate.standing == Standing::at_an_end)
      estimate.u = estimate.u - least < most - estimate.u ? least : most;
    u[i] = estimate.u;
  }
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
  if (fitted.empty() && !request.freedoms.empty())
    return "no row has a measured throughput and is to be fitted";
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
  settle(result.fit, u);
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
  if (!errors.empty() && left_out.size() == errors.size()) result.left_out = summary(left_out);
  result.resident = fit_resident(request.runs, request.of_memory);
  result.wafers = calibrated_wafers(request.runs, fitted, result.fit, result.resident);
  for (std::size_t i = 0; i < result.rows.size(); ++i)
    add_memory(result.rows[i], request.runs[i], result.wafers);
  return result;
}

}  // namespace bta
