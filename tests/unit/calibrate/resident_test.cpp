#include <cmath>

#include "support/approx.h"
#include "unit/calibrate/synthetic.h"

namespace {

using namespace bta;
using namespace bta::test;

const std::vector<std::string> all_names = {"score_heads", "score_tensors_forward", "score_tensors_backward",
                                            "reserved_fraction"};

std::vector<const WaferParameter*> parameters(const std::vector<std::string>& names) {
  std::vector<const WaferParameter*> found;
  for (const std::string& name : names) found.push_back(find_parameter(name));
  return found;
}

const ResidentEstimate& estimate_of(const ResidentFit& fit, const std::string& name) {
  for (const ResidentEstimate& estimate : fit.estimates)
    if (short_name(*estimate.parameter) == name) return estimate;
  FAIL("no estimate of " << name);
  return fit.estimates.front();
}

/// Runs of four models at half of the largest batch that fits the wafer with `truth`.
std::vector<Run> runs_with(const Settings& truth, bool largest_known) {
  const Wafer wafer = fixtures::cs2();
  std::vector<Run> runs;
  for (const Model& model : {dense(12, 768, 12, 3072), dense(32, 2560, 32, 10240), fixtures::qwen3_4b(),
                             dense(32, 4096, 32, 11008)}) {
    const std::int64_t largest = largest_uniform_batch(run_on(wafer, model, {1, 1}), with(wafer, truth));
    REQUIRE(largest >= 2);
    runs.push_back(run_on(wafer, model, {largest_known ? largest : largest / 2, 1}));
    if (largest_known) runs.back().largest_batch = largest;
  }
  return runs;
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("the largest batch is the largest that fits") {
  for (const Run& run : runs_with({}, true)) {
    const std::int64_t largest = largest_uniform_batch(run, run.problem.wafer);
    CHECK(fits(run, run.problem.wafer));
    Run larger = run;
    larger.tiling = {largest + 1, 1};
    CHECK_FALSE(fits(larger, run.problem.wafer));
  }
}

TEST_CASE("nothing fits a wafer without memory") {
  Wafer tiny = fixtures::cs2();
  tiny.sram_per_core = Bytes(1);
  CHECK(largest_uniform_batch(run_on(tiny, fixtures::qwen3_4b(), {1, 1}), tiny) == 0);
}

TEST_CASE("largest batches tell how many heads' scores stay resident") {
  for (const double heads : {3.0, 7.0, 20.0}) {
    CAPTURE(heads);
    const ResidentFit fit =
        fit_resident(runs_with({{"score_heads", heads}}, true), parameters({"score_heads"}));
    CHECK(fit.misfit == 0);
    const ResidentEstimate& found = estimate_of(fit, "score_heads");
    CHECK(found.identified);
    CHECK(found.low <= heads);
    CHECK(found.high >= heads);
    CHECK(found.value == found.high);
  }
}

TEST_CASE("batches that ran only bound what stays resident, and the most cautious value is taken") {
  const auto runs = runs_with({{"score_heads", 2}}, false);
  const ResidentEstimate found = fit_resident(runs, parameters({"score_heads"})).estimates.at(0);
  CHECK(found.low == 1);
  CHECK(found.value == found.high);
  CHECK(found.identified);
  for (const Run& run : runs) CHECK(fits(run, with(run.problem.wafer, {{"score_heads", found.value}})));
  bool all_fit = true;
  for (const Run& run : runs)
    all_fit = all_fit && fits(run, with(run.problem.wafer, {{"score_heads", found.value + 1}}));
  CHECK_FALSE(all_fit);
}

TEST_CASE("when every batch fits in every case, what stays resident is not identified") {
  const Wafer wafer = fixtures::cs2();
  const std::vector<Run> runs = {run_on(wafer, dense(12, 768, 12, 3072), {1, 1})};
  const ResidentFit fit = fit_resident(runs, parameters(all_names));
  CHECK(fit.misfit == 0);
  for (const ResidentEstimate& estimate : fit.estimates) {
    CAPTURE(short_name(*estimate.parameter));
    CHECK_FALSE(estimate.identified);
    CHECK(estimate.value == estimate.high);
  }
  CHECK(estimate_of(fit, "score_heads").low == 1);
  CHECK(estimate_of(fit, "score_heads").high == 12);
  CHECK(estimate_of(fit, "score_tensors_forward").high == 4);
  CHECK(estimate_of(fit, "reserved_fraction").high == 0.5);
}

TEST_CASE("the order in which values of memory are named does not matter: scores come before reserve") {
  const auto runs = runs_with({{"score_heads", 4}, {"reserved_fraction", 0.1}}, true);
  const ResidentFit one = fit_resident(runs, parameters({"score_heads", "reserved_fraction"}));
  const ResidentFit other = fit_resident(runs, parameters({"reserved_fraction", "score_heads"}));
  for (const std::string name : {"score_heads", "reserved_fraction"}) {
    CHECK(estimate_of(one, name).value == estimate_of(other, name).value);
    CHECK(estimate_of(one, name).low == estimate_of(other, name).low);
    CHECK(estimate_of(one, name).high == estimate_of(other, name).high);
  }
  CHECK(estimate_of(one, "score_heads").value == estimate_of(one, "score_heads").high);
}

TEST_CASE("a batch that fits in no case counts by how far it is too large") {
  const Wafer wafer = fixtures::cs2();
  Run run = run_on(wafer, fixtures::qwen3_4b(), {1, 1});
  const std::int64_t most = largest_uniform_batch(run, with(wafer, {{"score_heads", 1}}));
  run.tiling = {2 * most, 1};
  const ResidentFit fit = fit_resident({run}, parameters({"score_heads"}));
  CHECK(fit.estimates.at(0).value == 1);
  CHECK(fit.misfit == bta::approx(std::log(2) * std::log(2)));
}

TEST_CASE("without values of memory to fit there is no resident fit") {
  CHECK(fit_resident(runs_with({}, true), {}).estimates.empty());
}

TEST_CASE("a calibration sets the wafer's resident scores and says where they come from") {
  auto runs = measured_with(runs_with({{"score_heads", 4}}, true), {{"gemm", 0.5}});
  for (Run& run : runs)
    run.problem.wafer.numbers = {{"attention_kernel.score_heads", "all", "assumed", "guess"}};
  const Calibration found = calibrate({runs, freedoms({"gemm"}), parameters({"score_heads"}), 0.9});
  const double heads = found.resident.estimates.at(0).value;
  CHECK(found.wafers.at(0).score_heads == static_cast<std::int64_t>(heads));
  const SourcedNumber& number = found.wafers.at(0).numbers.at(0);
  CHECK(number.value == std::to_string(static_cast<int>(heads)));
  CHECK(number.kind == "calibrated");
  CHECK(number.source == "the most cautious value with which the measured batches fit");
  for (std::size_t i = 0; i < runs.size(); ++i) CHECK(found.rows[i].largest_batch == *runs[i].largest_batch);
}

TEST_SUITE_END();

}  // namespace
