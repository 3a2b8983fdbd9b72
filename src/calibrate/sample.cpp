#include "calibrate/sample.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/random/sobol.hpp>
#include <boost/random/uniform_01.hpp>
#include <cmath>

#include "hardware/parameters.h"

namespace bta {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd correlation_of(const CalibrationRecord& record) {
  const auto n = static_cast<Index>(record.values.size());
  MatrixXd matrix(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      matrix(i, j) = record.correlation[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return matrix;
}

/// Strictly between 0 and 1: the quantiles at the ends are infinite.
double inside(double share) {
  return std::clamp(share, 1e-6, 1 - 1e-6);
}

/// One draw of the values' deviations, in standard errors.
VectorXd deviations(const MatrixXd& lower, const std::vector<double>& shares, double degrees) {
  VectorXd z(lower.rows());
  for (Index i = 0; i < z.size(); ++i)
    z[i] = boost::math::quantile(boost::math::normal(), inside(shares[static_cast<std::size_t>(i)]));
  const double chi = boost::math::quantile(boost::math::chi_squared(degrees), inside(shares.back()));
  return lower * z / std::sqrt(chi / degrees);
}

/// Is it still the calibrated value? A number that an option replaced is what the user says it is.
bool is_calibrated(const Wafer& wafer, const WaferParameter& parameter) {
  const auto number = std::ranges::find(wafer.numbers, parameter.key, &SourcedNumber::key);
  return number == wafer.numbers.end() || number->kind == "calibrated";
}

Wafer moved(const Wafer& wafer, const CalibrationRecord& record, const VectorXd& by) {
  Wafer result = wafer;
  for (std::size_t i = 0; i < record.values.size(); ++i) {
    const CalibratedValue& value = record.values[i];
    for (const WaferParameter* parameter : find_parameters(value.name)) {
      if (!is_calibrated(wafer, *parameter)) continue;
      const double u = coordinate(*parameter, parameter->value(wafer));
      parameter->set(result, value_at(*parameter, u + value.standard_error * by[static_cast<Index>(i)]));
    }
  }
  return result;
}

}  // namespace

std::vector<std::string_view> drawn_parameters(const Wafer& wafer) {
  std::vector<std::string_view> keys;
  if (!wafer.calibration) return keys;
  for (const CalibratedValue& value : wafer.calibration->values)
    for (const WaferParameter* parameter : find_parameters(value.name))
      if (is_calibrated(wafer, *parameter)) keys.push_back(parameter->key);
  return keys;
}

std::vector<Wafer> sample_wafers(const Wafer& wafer, std::size_t count) {
  std::vector<Wafer> wafers;
  if (!wafer.calibration || wafer.calibration->values.empty()) return wafers;
  const CalibrationRecord& record = *wafer.calibration;
  const Eigen::LLT<MatrixXd> factor(correlation_of(record));
  if (factor.info() != Eigen::Success) return wafers;
  const MatrixXd lower = factor.matrixL();
  boost::random::sobol sequence(record.values.size() + 1);
  boost::random::uniform_01<double> uniform;
  while (wafers.size() < count) {
    std::vector<double> shares(record.values.size() + 1);
    std::ranges::generate(shares, [&] { return uniform(sequence); });
    wafers.push_back(
        moved(wafer, record, deviations(lower, shares, static_cast<double>(record.degrees_of_freedom))));
  }
  return wafers;
}

}  // namespace bta
