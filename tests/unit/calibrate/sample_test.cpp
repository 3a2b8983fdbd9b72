#include "calibrate/sample.h"

#include <algorithm>
#include <cmath>

#include "support/approx.h"
#include "unit/calibrate/synthetic.h"

namespace {

using namespace bta;

Wafer with_record(const CalibrationRecord& record) {
  Wafer wafer = fixtures::cs2();
  wafer.calibration = record;
  return wafer;
}

const CalibrationRecord sure = {"rows",
                                std::int64_t{1} << 30,
                                0.01,
                                {{"gemm=attention", 0.05}, {"layer_overhead", 1e-4}},
                                {{1, 0.6}, {0.6, 1}}};

struct Moments {
  double mean_x = 0, mean_y = 0, spread_x = 0, spread_y = 0, correlation = 0;
};

/// Of ln gemm and the layer overhead.
Moments moments(const std::vector<Wafer>& wafers) {
  const double n = static_cast<double>(wafers.size());
  Moments m;
  double xx = 0, yy = 0, xy = 0;
  for (const Wafer& w : wafers) {
    m.mean_x += std::log(w.gemm_efficiency) / n;
    m.mean_y += w.layer_overhead_s / n;
  }
  for (const Wafer& w : wafers) {
    const double x = std::log(w.gemm_efficiency) - m.mean_x, y = w.layer_overhead_s - m.mean_y;
    xx += x * x / n;
    yy += y * y / n;
    xy += x * y / n;
  }
  m.spread_x = std::sqrt(xx);
  m.spread_y = std::sqrt(yy);
  m.correlation = xy / std::sqrt(xx * yy);
  return m;
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("samples have the calibrated mean, standard errors and correlation") {
  const Moments m = moments(sample_wafers(with_record(sure), 4096));
  CHECK(m.mean_x == bta::approx(std::log(0.45)).epsilon(0.002));
  CHECK(m.mean_y == bta::approx(1.5e-3).epsilon(0.002));
  CHECK(m.spread_x == bta::approx(0.05).epsilon(0.02));
  CHECK(m.spread_y == bta::approx(1e-4).epsilon(0.02));
  CHECK(m.correlation == bta::approx(0.6).epsilon(0.02));
}

TEST_CASE("few degrees of freedom spread samples as Student's t does") {
  CalibrationRecord record = sure;
  record.degrees_of_freedom = 10;
  const Moments m = moments(sample_wafers(with_record(record), 4096));
  CHECK(m.spread_x == bta::approx(0.05 * std::sqrt(10.0 / 8)).epsilon(0.03));
  CHECK(m.correlation == bta::approx(0.6).epsilon(0.03));
}

TEST_CASE("samples are the same every time, and the first of many are the few") {
  const auto many = sample_wafers(with_record(sure), 50), again = sample_wafers(with_record(sure), 50),
             few = sample_wafers(with_record(sure), 10);
  REQUIRE(many.size() == 50);
  for (std::size_t i = 0; i < many.size(); ++i) {
    CHECK(many[i].gemm_efficiency == again[i].gemm_efficiency);
    CHECK(many[i].layer_overhead_s == again[i].layer_overhead_s);
    if (i < few.size()) CHECK(many[i].gemm_efficiency == few[i].gemm_efficiency);
  }
}

TEST_CASE("numbers that share a calibrated value move by the same factor, others not at all") {
  const auto samples = sample_wafers(with_record(sure), 50);
  CHECK(samples.back().gemm_efficiency != 0.45);
  for (const Wafer& sample : samples) {
    CHECK(sample.gemm_efficiency / 0.45 == bta::approx(sample.attention_efficiency / 0.3));
    CHECK(sample.partial_sum_bytes == 3);
    CHECK(sample.stream_overlap == 0.5);
    CHECK(sample.name == "cs2");
  }
}

TEST_CASE("a number that an option replaced is no longer the calibrated one and does not move") {
  Wafer wafer = with_record(sure);
  wafer.numbers = {{"efficiency.gemm", "0.45", "unstated", "--set hardware.efficiency.gemm"},
                   {"efficiency.attention", "0.3", "calibrated", "fit"}};
  for (const Wafer& sample : sample_wafers(wafer, 20)) CHECK(sample.gemm_efficiency == 0.45);
  CHECK(sample_wafers(wafer, 20).back().attention_efficiency != 0.3);
  const std::vector<std::string_view> drawn = drawn_parameters(wafer);
  CHECK(std::ranges::count(drawn, "efficiency.gemm") == 0);
  CHECK(std::ranges::count(drawn, "efficiency.attention") == 1);
}

TEST_CASE("samples stay in every parameter's range, however unsure it is") {
  for (const double error : {1.0, 1e6}) {
    const CalibrationRecord unsure = {"rows",
                                      1,
                                      1,
                                      {{"gemm", error}, {"stream_overlap", error}, {"layer_overhead", error}},
                                      {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (const Wafer& sample : sample_wafers(with_record(unsure), 200))
      for (const CalibratedValue& value : unsure.values) {
        const WaferParameter& parameter = *find_parameter(value.name);
        CHECK(parameter.value(sample) >= parameter.least);
        CHECK(parameter.value(sample) <= parameter.most);
      }
  }
}

TEST_CASE("without standard errors every sample is the wafer") {
  CalibrationRecord certain = sure;
  for (CalibratedValue& value : certain.values) value.standard_error = 0;
  for (const Wafer& sample : sample_wafers(with_record(certain), 20)) {
    CHECK(sample.gemm_efficiency == bta::approx(0.45).epsilon(1e-15));
    CHECK(sample.layer_overhead_s == 1.5e-3);
  }
}

TEST_CASE("there are no samples without a record, or with correlations that cannot be") {
  CHECK(sample_wafers(fixtures::cs2(), 10).empty());
  CHECK(sample_wafers(with_record({"rows", 3, 0.1, {}, {}}), 10).empty());
  CalibrationRecord record = sure;
  record.correlation = {{1, 1}, {1, 1}};
  CHECK(sample_wafers(with_record(record), 10).empty());
  record = {"rows",
            3,
            0.1,
            {{"gemm", 0.1}, {"attention", 0.1}, {"partial_sum_bytes", 0.1}},
            {{1, 0.9, 0.9}, {0.9, 1, -0.9}, {0.9, -0.9, 1}}};
  CHECK(sample_wafers(with_record(record), 10).empty());
}

TEST_SUITE_END();

}  // namespace
