// Runs that never were: what the model itself predicts with known parameters stands as measured.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "calibrate/calibrate.h"
#include "calibrate/fit.h"
#include "support/fixtures.h"

namespace bta::test {

using Settings = std::vector<std::pair<std::string, double>>;  // "gemm=attention", value

inline Wafer with(Wafer wafer, const Settings& settings) {
  for (const auto& setting : settings)
    for (const WaferParameter* parameter : find_parameters(setting.first))
      parameter->set(wafer, setting.second);
  return wafer;
}

inline Freedom freedom(const std::string& names, bool separate = false) {
  return {find_parameters(names), separate};
}

inline std::vector<Freedom> freedoms(const std::vector<std::string>& all) {
  std::vector<Freedom> result;
  for (const std::string& names : all) result.push_back(freedom(names));
  return result;
}

inline Model dense(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t width) {
  Model model;
  model.name = "dense-" + std::to_string(hidden);
  model.hidden = hidden;
  model.vocabulary = 32000;
  const GroupedQueryAttention attention{
      .heads = heads, .kv_heads = heads, .qk_head_dim = hidden / heads, .v_head_dim = hidden / heads};
  model.layers.assign(static_cast<std::size_t>(layers), {attention, DenseMlp{.width = width}});
  return model;
}

inline Run run_on(const Wafer& wafer, const Model& model, Tiling tiling) {
  return make_run(model.name + " on " + wafer.name, make_problem(model, wafer, {}), tiling);
}

/// Narrow and wide, shallow and deep, small and large batches: nine rows.
inline std::vector<Run> dense_runs(const Wafer& wafer) {
  std::vector<Run> runs;
  for (const std::int64_t batch : {4, 30, 200}) {
    runs.push_back(run_on(wafer, dense(12, 768, 12, 3072), {batch, 1}));
    runs.push_back(run_on(wafer, dense(32, 2560, 32, 10240), {batch, 1}));
    runs.push_back(run_on(wafer, dense(6, 8192, 64, 28672), {batch, 1}));
  }
  return runs;
}

/// Dense ones, and MoE ones in one tile and in several.
inline std::vector<Run> all_runs(const Wafer& wafer) {
  std::vector<Run> runs = dense_runs(wafer);
  for (const Tiling tiling : {Tiling{8, 1}, {8, 12}, {2, 64}})
    runs.push_back(run_on(wafer, fixtures::qwen3_30b_a3b(), tiling));
  return runs;
}

/// The runs as measured on wafers that differ from theirs by `truth`.
inline std::vector<Run> measured_with(std::vector<Run> runs, const Settings& truth) {
  for (Run& run : runs) run.measured = predicted(run, with(run.problem.wafer, truth));
  return runs;
}

inline const Estimate& estimate_of(const Uncertainty& fit, const std::string& name) {
  for (const Estimate& estimate : fit.estimates)
    if (shown_name(estimate.free) == name) return estimate;
  FAIL("no estimate of " << name);
  return fit.estimates.front();
}

inline double value_of(const Calibration& calibration, const std::string& name) {
  return estimate_of(calibration.fit, name).value();
}

inline Calibration calibrated(std::vector<Run> runs, const std::vector<std::string>& free,
                              double confidence = 0.9) {
  const CalibrationRequest request{std::move(runs), freedoms(free), {}, confidence};
  REQUIRE(why_not(request) == "");
  return calibrate(request);
}

}  // namespace bta::test
