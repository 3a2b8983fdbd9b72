#include "verify/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/statistics/univariate_statistics.hpp>
#include <cmath>

#include "cost/expert_time.h"
#include "cost/fill.h"
#include "cost/step_time.h"
#include "executor/load_source.h"
#include "verify/scale.h"
#include "verify/setup.h"

namespace bta::verify {
namespace {

using executor::Busy;
using executor::Measured;
using executor::PhaseSpan;

constexpr double most_standard_errors = 4;
constexpr double most_error = 0.002;
constexpr int batch_of_runs = 200, most_runs = 20000;

void compare_busy(Comparison& comparison, const std::string& where, const ResourceTimes& expected,
                  const Busy& busy) {
  const auto one = [&](Resource resource, double measured) {
    comparison.near(fmt::format("{}, {}", where, resource_name(resource)), expected[resource], measured);
  };
  one(Resource::compute, busy.compute);
  one(Resource::sram, busy.sram);
  one(Resource::broadcast, busy.broadcast);
  one(Resource::reduce, busy.reduce);
  one(Resource::overhead, busy.overhead);
}

/// One forward run, or both gradients, as the executor counts them.
Busy executor_time(const Problem& problem, const Operator& op, bool gradients, std::int64_t vectors) {
  using executor::Pass;
  const auto run = [&](Pass pass) {
    return executor::operator_busy(op, pass, vectors, executor::computed_pairs(op, problem.workload),
                                   problem.wafer, problem.workload);
  };
  if (!gradients) return run(Pass::forward);
  Busy busy = run(Pass::input_gradient);
  busy += run(std::holds_alternative<Gemm>(op.work) ? Pass::weight_gradient : Pass::input_gradient);
  return busy;
}

void compare_operator(Comparison& comparison, const Problem& problem, const Operator& op) {
  const double v = as_double(vector_width(problem.wafer, problem.workload.precision));
  if (flop_class(op) == FlopClass::vector) return;  // counted, not timed
  for (const bool gradients : {false, true})
    for (const std::int64_t vectors : {1, 2, 7, 1000}) {
      const Passes passes{.forward = gradients ? 0 : 1, .gradients = gradients};
      const Timed expected =
          operator_time(op, as_double(vectors) * v, passes, problem.wafer, problem.workload);
      const Busy measured = executor_time(problem, op, gradients, vectors);
      const std::string where =
          fmt::format("{} {}, {} vectors a row", op.name, gradients ? "gradients" : "forward", vectors);
      compare_busy(comparison, where, expected.busy, measured);
      comparison.near(where + ", elapsed", expected.seconds, measured.seconds);
    }
}

/// Experts in order of index; the distribution of their slots over the layers of the kind.
LayerLoads loads_of_kind(const Problem& problem, std::size_t kind, const Measured& measured) {
  LayerLoads loads;
  const double v = as_double(vector_width(problem.wafer, problem.workload.precision));
  const double share = 1 / as_double(problem.layers[kind].count);
  for (std::size_t l = 0; l < problem.model.layers.size(); ++l) {
    if (kind_of(problem, l) != kind) continue;
    const std::vector<executor::ExpertLoad>& experts = measured.counters.layers[l].experts;
    loads.resize(experts.size(), LoadGroup{.experts = 1});
    for (std::size_t e = 0; e < experts.size(); ++e)
      loads[e].slots.push_back(
          {v * as_double(executor::expert_vectors(problem.wafer, problem.workload, experts[e])), share});
  }
  return loads;
}

std::vector<LayerLoads> loads_of(const Problem& problem, const Measured& measured) {
  std::vector<LayerLoads> loads;
  for (std::size_t kind = 0; kind < problem.layers.size(); ++kind)
    loads.push_back(loads_of_kind(problem, kind, measured));
  return loads;
}

/// Closed form with fill and drain, summed by kind of phase.
struct ClosedPhase {
  double seconds = 0;
  ResourceTimes busy;
};
using ClosedPhases = std::array<ClosedPhase, phase_names.size()>;

/// Both ends as they are given for themselves; between them the exact excess at the problem's own overlap.
double fill_seconds(const PhaseFill& fill, double omega) {
  if (omega == 0) return fill.serial;
  return omega == 1 ? fill.overlapped : fill.seconds;
}

ClosedPhases closed_phases(const Problem& problem, Tiling tiling, const std::vector<LayerLoads>& loads) {
  ClosedPhases closed;
  for (const PhaseTime& phase : step_time(problem, tiling, loads).phases) {
    closed[static_cast<std::size_t>(phase.kind)].seconds += phase.timed.seconds;
    closed[static_cast<std::size_t>(phase.kind)].busy += phase.timed.busy;
  }
  for (const PhaseFill& fill : fill_and_drain(problem, tiling, loads))
    closed[static_cast<std::size_t>(fill.kind)].seconds += fill_seconds(fill, problem.wafer.stream_overlap);
  return closed;
}

double total(const ClosedPhases& phases) {
  double seconds = 0;
  for (const ClosedPhase& phase : phases) seconds += phase.seconds;
  return seconds;
}

void compare_at(Comparison& comparison, const Problem& problem, Tiling tiling, const Measured& measured,
                double omega) {
  const ClosedPhases closed =
      closed_phases(with_stream_overlap(problem, omega), tiling, loads_of(problem, measured));
  for (std::size_t kind = 0; kind < closed.size(); ++kind) {
    const PhaseSpan& span = measured.timeline.phases()[kind];
    const std::string where = fmt::format("{}, stream overlap {}", phase_names[kind], omega);
    comparison.near(where, closed[kind].seconds, span.seconds(omega));
    compare_busy(comparison, where, closed[kind].busy, span.work);
    comparison.near(where + ", stream-in", closed[kind].busy[Resource::stream_in], span.stream_in);
    comparison.near(where + ", stream-out", closed[kind].busy[Resource::stream_out], span.stream_out);
  }
}

/// Variance of one expert's forward and backward time.
double variance_of(const Problem& problem, const ProblemLayer& layer, const LoadGroup& group) {
  double mean = 0, squares = 0;
  for (const auto& [slots, probability] : group.slots) {
    const ForwardBackward h = expert_time(problem, layer, slots);
    const double seconds = h.forward.seconds + h.backward.seconds;
    mean += probability * seconds;
    squares += probability * seconds * seconds;
  }
  return std::max(0.0, squares - mean * mean);
}

/// Mean and standard error of a sample.
class Sampled {
 public:
  /// Its deviation is taken to be no smaller than this: what is rare may be missing from the sample.
  explicit Sampled(double least_deviation = 0) : least_(least_deviation) {}
  void add(double value) { values_.push_back(value); }
  double mean() const { return boost::math::statistics::mean(values_); }
  double error() const {
    const double deviation = std::sqrt(boost::math::statistics::sample_variance(values_));
    return std::max(least_, deviation) / std::sqrt(static_cast<double>(values_.size()));
  }

 private:
  double least_;
  std::vector<double> values_;
};

/// Standard deviation of the experts' time in a step, if the k experts of a token rise and fall together.
double expert_deviation(const Problem& problem, Tiling tiling, double omega) {
  const Problem at = with_stream_overlap(problem, omega);
  const std::vector<LayerLoads> loads = expected_loads(at, micro_batch(tiling).value);
  double variance = 0;
  for (std::size_t kind = 0; kind < loads.size(); ++kind)
    for (const LoadGroup& group : loads[kind])
      variance += as_double(at.layers[kind].count) * group.experts * variance_of(at, at.layers[kind], group);
  return std::sqrt(variance * as_double(moe_of(problem.model)->top_k));
}

struct StepTimes {
  Sampled serial, overlapped, queued;
  bool precise(double error) const {
    return serial.error() < error * serial.mean() && overlapped.error() < error * overlapped.mean();
  }
};

StepTimes sampled_times(const Problem& problem, Tiling tiling, std::uint64_t seed, double error) {
  const executor::Config config = executor_config(problem, tiling);
  StepTimes times{Sampled(expert_deviation(problem, tiling, 0)),
                  Sampled(expert_deviation(problem, tiling, 1)), Sampled()};
  for (int runs = 0; runs < most_runs && (runs == 0 || !times.precise(error)); runs += batch_of_runs)
    for (int i = 0; i < batch_of_runs; ++i) {
      const std::uint64_t own_seed = seed * 1'000'003 + static_cast<std::uint64_t>(runs + i);
      const Measured measured = executor::execute_shapes(config, executor::sampled_loads(config, own_seed));
      times.serial.add(measured.timeline.seconds(0));
      times.overlapped.add(measured.timeline.seconds(1));
      times.queued.add(measured.timeline.queued_seconds());
    }
  return times;
}

/// Largest relative difference and standard error seen, for the note.
struct Spread {
  double difference = 0, error = 0, fill = 0, barrier = 0;
};

void compare_mean(Comparison& comparison, const Problem& problem, Tiling tiling, double omega,
                  const Sampled& sampled, Spread& spread) {
  const Problem at = with_stream_overlap(problem, omega);
  const std::vector<LayerLoads> loads = expected_loads(at, micro_batch(tiling).value);
  const double expected = total(closed_phases(at, tiling, loads)), without = step_time(at, tiling).seconds;
  const MoeMlp& moe = *moe_of(problem.model);
  comparison.near(fmt::format("E {}, k {}, stream overlap {}", moe.experts, moe.top_k, omega), expected,
                  sampled.mean(), std::max(sampled.error(), time_tolerance * expected));
  comparison.same(fmt::format("E {}, k {}: standard error below 0.2 %", moe.experts, moe.top_k),
                  sampled.error() < most_error * sampled.mean());
  spread.difference = std::max(spread.difference, std::abs(sampled.mean() / expected - 1));
  spread.error = std::max(spread.error, sampled.error() / sampled.mean());
  spread.fill = std::max(spread.fill, expected / without - 1);
}

}  // namespace

Check check_operator_times(const Problem& problem) {
  Comparison comparison(std::string(operator_claim),
                        fmt::format("{} on {}", problem.model.name, problem.wafer.name), Measure::relative,
                        time_tolerance);
  for (const ProblemLayer& layer : problem.layers)
    for (const Operator& op : layer.operators) compare_operator(comparison, problem, op);
  for (const Operator& op : problem.head) compare_operator(comparison, problem, op);
  return std::move(comparison).result();
}

void compare_phase_times(Comparison& comparison, const Problem& problem, Tiling tiling,
                         const Measured& measured) {
  for (const double omega : {0.0, 0.5, 1.0}) compare_at(comparison, problem, tiling, measured, omega);
}

Check check_mean_time(const Problem& problem, Tiling tiling, std::uint64_t seed, double error) {
  const bool masked = problem.workload.placement == Placement::masked;
  constexpr std::array<std::string_view, 3> routings{"balanced", "skewed", "measured"};
  Comparison comparison(
      std::string(mean_claim),
      fmt::format("{}, {}, {} routing", describe(problem, tiling), masked ? "masked" : "compacted",
                  routings.at(problem.workload.routing.index())),
      Measure::standard_error, most_standard_errors);
  Spread spread;
  for (const Problem& level : sparsity_levels(problem)) {
    const StepTimes times = sampled_times(level, tiling, seed, error);
    compare_mean(comparison, level, tiling, 0, times.serial, spread);
    compare_mean(comparison, level, tiling, 1, times.overlapped, spread);
    spread.barrier = std::max(spread.barrier, 1 - times.queued.mean() / times.overlapped.mean());
  }
  comparison.note(
      fmt::format("largest difference {:.2g} %, standard error at most {:.2g} % of the mean; fill and drain, "
                  "in the expectation, at "
                  "most {:.2g} % of the step; without the lockstep, each buffer used again when it is free, "
                  "at most {:.2g} % less",
                  100 * spread.difference, 100 * spread.error, 100 * spread.fill, 100 * spread.barrier));
  return std::move(comparison).result();
}

std::vector<Problem> sparsity_levels(const Problem& problem) {
  const auto* moe = moe_of(problem.model);
  if (moe == nullptr) return {};
  std::vector<Problem> levels;
  const auto add = [&](std::int64_t experts, std::int64_t top_k) {
    Workload workload = problem.workload;
    workload.routing = scaled_routing(workload.routing, experts, top_k);
    levels.push_back(
        make_problem(with_experts(problem.model, experts, top_k, moe->width), problem.wafer, workload));
  };
  add(moe->experts, moe->top_k);
  if (moe->top_k > 1) add(moe->experts, 1);
  if (moe->experts / 2 > moe->top_k) add(moe->experts / 2, moe->top_k);
  return levels;
}

Problem one_of_each(const Problem& problem) {
  Model model = problem.model;
  model.layers.clear();
  for (const ProblemLayer& layer : problem.layers) model.layers.push_back(layer.layer);
  return make_problem(std::move(model), problem.wafer, problem.workload);
}

}  // namespace bta::verify
