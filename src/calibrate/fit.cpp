#include "calibrate/fit.h"

#include <Eigen/Core>
#include <algorithm>
#include <boost/random/sobol.hpp>
#include <boost/random/uniform_01.hpp>
#include <cmath>
#include <iterator>
#include <limits>
#include <unsupported/Eigen/NonLinearOptimization>
#include <unsupported/Eigen/NumericalDiff>

namespace bta {
namespace {

/// The residuals as a function of unbounded z, in the form that Eigen's solver wants.
struct Bounded {
  using Scalar = double;
  using InputType = Eigen::VectorXd;
  using ValueType = Eigen::VectorXd;
  using JacobianType = Eigen::MatrixXd;
  enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

  const std::vector<Run>& runs;
  const std::vector<FreeParameter>& free;

  int inputs() const { return static_cast<int>(free.size()); }
  int values() const { return static_cast<int>(runs.size()); }

  std::vector<double> inside(const InputType& z) const {
    std::vector<double> u(free.size());
    for (std::size_t i = 0; i < u.size(); ++i) {
      const double share = (1 + std::sin(z[static_cast<Eigen::Index>(i)])) / 2;
      u[i] = free[i].least + (free[i].most - free[i].least) * share;
    }
    return u;
  }

  int operator()(const InputType& z, ValueType& out) const {
    const std::vector<double> all = residuals(runs, free, inside(z));
    out = Eigen::Map<const ValueType>(all.data(), static_cast<Eigen::Index>(all.size()));
    return 0;
  }
};

/// Shares of the way from least to most, strictly inside: at an end the transformed derivative vanishes.
Eigen::VectorXd unbounded(const std::vector<double>& shares) {
  Eigen::VectorXd z(static_cast<Eigen::Index>(shares.size()));
  for (std::size_t i = 0; i < shares.size(); ++i)
    z[static_cast<Eigen::Index>(i)] = std::asin(2 * std::clamp(shares[i], 0.02, 0.98) - 1);
  return z;
}

std::vector<Eigen::VectorXd> starting_points(const std::vector<FreeParameter>& free, std::size_t count) {
  std::vector<double> own;
  for (const FreeParameter& f : free)
    own.push_back(f.most > f.least ? (f.start - f.least) / (f.most - f.least) : 0.5);
  std::vector<Eigen::VectorXd> points = {unbounded(own)};
  boost::random::sobol sequence(free.size());
  boost::random::uniform_01<double> uniform;
  while (points.size() <= count) {
    std::vector<double> shares;
    std::generate_n(std::back_inserter(shares), free.size(), [&] { return uniform(sequence); });
    points.push_back(unbounded(shares));
  }
  return points;
}

}  // namespace

std::vector<Run> fitted_runs(const std::vector<Run>& runs) {
  std::vector<Run> fitted;
  std::ranges::copy_if(runs, std::back_inserter(fitted),
                       [](const Run& run) { return run.fitted && run.measured; });
  for (Run& run : fitted) {  // a fit copies wafers by the million, and needs no texts
    run.problem.wafer.numbers.clear();
    run.problem.wafer.calibration.reset();
    run.problem.model.notes.clear();
  }
  return fitted;
}

std::vector<double> residuals(const std::vector<Run>& runs, const std::vector<FreeParameter>& free,
                              const std::vector<double>& u) {
  std::vector<double> result;
  for (const Run& run : runs)
    result.push_back(
        std::log(predicted(run, with_parameters(run.problem.wafer, free, u)) / run.measured.value()));
  return result;
}

double sum_of_squares(const std::vector<double>& residuals) {
  double sum = 0;
  for (const double r : residuals) sum += r * r;
  return sum;
}

std::vector<double> least_squares(const std::vector<Run>& runs, const std::vector<FreeParameter>& free,
                                  std::size_t starts) {
  if (free.empty()) return {};
  const Eigen::NumericalDiff<Bounded, Eigen::Central> function(Bounded{runs, free});
  std::vector<double> best;
  double least = std::numeric_limits<double>::infinity();
  for (Eigen::VectorXd z : starting_points(free, starts)) {
    auto copy = function;
    Eigen::LevenbergMarquardt<Eigen::NumericalDiff<Bounded, Eigen::Central>> solver(copy);
    solver.parameters.maxfev = 2000;
    solver.minimize(z);
    const std::vector<double> u = function.inside(z);
    const double sum = sum_of_squares(residuals(runs, free, u));
    if (best.empty() || sum < least * (1 - 1e-9)) {
      least = sum;
      best = u;
    }
  }
  return best;
}

}  // namespace bta
