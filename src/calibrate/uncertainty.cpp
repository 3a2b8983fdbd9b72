#include "calibrate/uncertainty.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "calibrate/fit.h"

namespace bta {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double step = 1e-6;       // of the range, for derivatives; below at_end: to both sides but there
constexpr double at_end = 1e-9;     // of the range: as good as its end
constexpr double singular = 1e-6;   // of the largest singular value
constexpr double unnoticed = 1e-6;  // change of ln(predicted) over the whole range, of all rows together

double range_of(const FreeParameter& free) {
  return free.most - free.least;
}

bool is_at_end(const FreeParameter& free, double u) {
  return std::min(u - free.least, free.most - u) <= at_end * range_of(free);
}

/// d residual / d u_i over the whole range of u_i, for every row.
VectorXd slope(const std::vector<Run>& runs, const std::vector<FreeParameter>& free, std::vector<double> u,
               std::size_t i) {
  const double h = step * range_of(free[i]), here = u[i];
  const double low = std::max(free[i].least, here - h), high = std::min(free[i].most, here + h);
  u[i] = low;
  const std::vector<double> below = residuals(runs, free, u);
  u[i] = high;
  const std::vector<double> above = residuals(runs, free, u);
  VectorXd column(static_cast<Index>(runs.size()));
  for (std::size_t row = 0; row < runs.size(); ++row)
    column[static_cast<Index>(row)] = (above[row] - below[row]) / (high - low) * range_of(free[i]);
  return column;
}

/// Values whose columns are there and independent; the others get their standing.
std::vector<std::size_t> sort_by_standing(const MatrixXd& jacobian, std::vector<Estimate>& estimates) {
  std::vector<std::size_t> inside;
  const double largest = jacobian.size() > 0 ? jacobian.colwise().norm().maxCoeff() : 0;
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    Estimate& estimate = estimates[i];
    if (jacobian.col(static_cast<Index>(i)).norm() <= std::max(unnoticed, singular * largest))
      estimate.standing = Standing::no_effect;
    else if (is_at_end(estimate.free, estimate.u))
      estimate.standing = Standing::at_an_end;
    else
      inside.push_back(i);
  }
  return inside;
}

MatrixXd columns_of(const MatrixXd& jacobian, const std::vector<std::size_t>& which) {
  MatrixXd chosen(jacobian.rows(), static_cast<Index>(which.size()));
  for (std::size_t i = 0; i < which.size(); ++i)
    chosen.col(static_cast<Index>(i)) = jacobian.col(static_cast<Index>(which[i]));
  return chosen;
}

/// The values in which the rows notice every change, and their covariance for residuals that scatter by 1:
/// the pseudo-inverse of J'J, so that combinations of the other values stay free where rows notice them.
struct Identified {
  std::vector<std::size_t> which;
  MatrixXd covariance;
};

/// Drops the values that take part in a direction which no row notices.
Identified independent(const MatrixXd& jacobian, const std::vector<std::size_t>& inside,
                       std::vector<Estimate>& estimates) {
  if (inside.empty()) return {};
  const Eigen::JacobiSVD<MatrixXd> svd(columns_of(jacobian, inside), Eigen::ComputeFullV);
  const VectorXd& values = svd.singularValues();
  const MatrixXd& directions = svd.matrixV();
  MatrixXd covariance = MatrixXd::Zero(directions.rows(), directions.rows());
  for (Index j = 0; j < directions.cols(); ++j) {
    if (j < values.size() && values[j] > singular * values[0]) {
      covariance += directions.col(j) * directions.col(j).transpose() / (values[j] * values[j]);
      continue;
    }
    for (std::size_t i = 0; i < inside.size(); ++i)
      if (std::abs(directions(static_cast<Index>(i), j)) > 1e-3)
        estimates[inside[i]].standing = Standing::only_together;
  }
  Identified rest;
  std::vector<Index> kept;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (estimates[inside[i]].standing != Standing::identified) continue;
    rest.which.push_back(inside[i]);
    kept.push_back(static_cast<Index>(i));
  }
  rest.covariance = covariance(kept, kept);
  return rest;
}

void set_interval(Estimate& estimate, double standard_error, double t) {
  estimate.standard_error = standard_error;
  const double low = estimate.u - t * standard_error, high = estimate.u + t * standard_error;
  estimate.low = estimate.free.value(std::max(low, estimate.free.least));
  estimate.high = estimate.free.value(std::min(high, estimate.free.most));
  if (low <= estimate.free.least && high >= estimate.free.most)
    estimate.note = "not identified by these rows: the interval is all it may be";
}

std::string note_of(const Estimate& estimate, std::int64_t degrees_of_freedom) {
  switch (estimate.standing) {
    case Standing::no_effect:
      return "not identified by these rows: none of them depends on it";
    case Standing::only_together:
      return "not identified by these rows: only together with others";
    case Standing::at_an_end:
      return fmt::format("at the {} end of its range: no interval",
                         estimate.u - estimate.free.least < range_of(estimate.free) / 2 ? "lower" : "upper");
    case Standing::identified:
      break;
  }
  return degrees_of_freedom > 0 ? estimate.note : "no interval: as many values as rows";
}

/// Standard errors and correlations of the identified values.
void fill(Uncertainty& result, const Identified& identified, double confidence) {
  const auto& [which, covariance] = identified;
  const double t = boost::math::quantile(
      boost::math::students_t(static_cast<double>(result.degrees_of_freedom)), (1 + confidence) / 2);
  for (std::size_t i = 0; i < which.size(); ++i) {
    const auto at = static_cast<Index>(i);
    Estimate& estimate = result.estimates[which[i]];
    set_interval(estimate, *result.scatter * std::sqrt(covariance(at, at)) * range_of(estimate.free), t);
    for (std::size_t j = 0; j < which.size(); ++j) {
      const auto other = static_cast<Index>(j);
      const double scale = std::sqrt(covariance(at, at) * covariance(other, other));
      result.correlation[which[i]][which[j]] = i == j ? 1 : covariance(at, other) / scale;
    }
  }
}

}  // namespace

double least_eigenvalue(const std::vector<std::vector<double>>& correlation) {
  const auto n = static_cast<Index>(correlation.size());
  MatrixXd matrix(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      matrix(i, j) = correlation[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return Eigen::JacobiSVD<MatrixXd>(matrix).singularValues()[n - 1];
}

Uncertainty uncertainty(const std::vector<Run>& runs, const std::vector<FreeParameter>& free,
                        const std::vector<double>& u, double confidence) {
  Uncertainty result;
  MatrixXd jacobian(static_cast<Index>(runs.size()), static_cast<Index>(free.size()));
  for (std::size_t i = 0; i < free.size(); ++i) {
    result.estimates.push_back({.free = free[i], .u = u[i]});
    jacobian.col(static_cast<Index>(i)) = slope(runs, free, u, i);
  }
  result.correlation.assign(free.size(), std::vector<double>(free.size(), 0));
  const std::vector<std::size_t> inside = sort_by_standing(jacobian, result.estimates);
  const Identified identified = independent(jacobian, inside, result.estimates);
  result.degrees_of_freedom = static_cast<std::int64_t>(runs.size()) - static_cast<std::int64_t>(free.size());
  if (result.degrees_of_freedom > 0) {
    const double sum = sum_of_squares(residuals(runs, free, u));
    result.scatter = std::sqrt(sum / static_cast<double>(result.degrees_of_freedom));
    if (!identified.which.empty()) fill(result, identified, confidence);
  }
  for (Estimate& estimate : result.estimates) estimate.note = note_of(estimate, result.degrees_of_freedom);
  return result;
}

}  // namespace bta
