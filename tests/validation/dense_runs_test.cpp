// The public dense runs that the shipped chips are calibrated on: examples/public-dense-runs.csv, sources
// there.
#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "calibrate/calibrate.h"
#include "cli/measured_runs.h"

using namespace bta;

namespace {

CalibrationRequest request() {
  const auto measured =
      load_measured(std::string(BTA_SOURCE_DIR) + "/examples/public-dense-runs.csv", "cerebras-cs2", {}, {});
  REQUIRE(measured.has_value());
  CalibrationRequest request;
  REQUIRE(cli::add_runs(request, measured.value(), {}, "").empty());
  request.freedoms = {{find_parameters("gemm=attention")}, {find_parameters("layer_overhead")}};
  return request;
}

const Calibration& shipped() {
  static const Calibration calibration = calibrate(request());
  return calibration;
}

long per_mille(double share) {
  return std::lround(1000 * share);
}

}  // namespace

TEST_SUITE("validation") {
  TEST_CASE("dense runs left out of the fit are predicted within 8 % on average and 15 % at worst") {
    REQUIRE(shipped().left_out.has_value());
    CHECK(shipped().left_out->mean < 0.08);
    CHECK(shipped().left_out->worst < 0.15);
    CHECK(per_mille(shipped().left_out->mean) == 54);
    CHECK(per_mille(shipped().left_out->worst) == 131);
  }

  TEST_CASE(
      "residuals of the shipped calibration, row by row, and what it says of rows that are not fitted") {
    const std::map<std::string, long> wanted = {
        {"GPT-J 6B 2.0.3", 53},   {"Llama 7B 2.1.1", 15},     {"GPT-2 small 2.3.0", 0},
        {"GPT-J 6B 2.5.0", -110}, {"Llama-2 7B 2.5.1", 25},   {"GPT-J 6B 1.7.1", 664},
        {"GPT-J 6B 1.8", 348},    {"BERT large B=512", -196}, {"BERT large B=2048", -481}};
    const CalibrationRequest asked = request();
    REQUIRE(asked.runs.size() == wanted.size());
    for (std::size_t i = 0; i < asked.runs.size(); ++i) {
      CAPTURE(asked.runs[i].name);
      CHECK(per_mille(*shipped().rows[i].error) == wanted.at(asked.runs[i].name));
    }
  }

  TEST_CASE("how many heads of live scores the batches that ran leave room for, as docs/validation.md says") {
    const std::map<std::string, std::int64_t> wanted = {{"GPT-J 6B 2.0.3", 15},
                                                        {"Llama 7B 2.1.1", 6},
                                                        {"GPT-2 small 2.3.0", 11},
                                                        {"GPT-J 6B 2.5.0", 6},
                                                        {"Llama-2 7B 2.5.1", 18}};
    for (const Run& run : request().runs) {
      if (!run.fitted) continue;
      CAPTURE(run.name);
      std::int64_t most = 0;
      for (std::int64_t heads = 1; heads <= 32; ++heads) {
        Wafer wafer = run.problem.wafer;
        wafer.score_heads = heads;
        if (fits(run, wafer)) most = heads;
      }
      CHECK(most == wanted.at(run.name));
    }
  }

  TEST_CASE("the shipped chips hold the values that the public dense runs give") {
    for (const Wafer& fitted : shipped().wafers) {
      CAPTURE(fitted.name);
      const auto loaded = load_wafer(fitted.name, {});
      REQUIRE(loaded.has_value());
      const Wafer& file = loaded.value();
      CHECK(file.gemm_efficiency == fitted.gemm_efficiency);
      CHECK(file.attention_efficiency == fitted.gemm_efficiency);
      CHECK(file.layer_overhead_s == fitted.layer_overhead_s);
      REQUIRE(file.calibration.has_value());
      CHECK(file.calibration->scatter == fitted.calibration->scatter);
      CHECK(file.calibration->correlation == fitted.calibration->correlation);
    }
  }
}
