#include "input/calibration_yaml.h"

#include "unit/input/input_support.h"

namespace {

using namespace bta::test;
using bta::CalibrationRecord;

const std::string whole =
    "calibration:\n"
    "  rows: four runs\n"
    "  degrees_of_freedom: 3\n"
    "  scatter: 0.07\n"
    "  standard_error:\n"
    "    gemm=attention: 0.05\n"
    "    efficiency.layer_overhead: 0.0002\n"
    "    stream_overlap: 0.1\n"
    "  correlation:\n"
    "    gemm=attention: {efficiency.layer_overhead: 0.5}\n"
    "    stream_overlap: {gemm=attention: -0.25}\n";

bta::Result<bta::Wafer> wafer_with(const std::string& section) {
  return wafer_from_yaml(text_of(BTA_TEST_DATA "/hardware/one-core.yaml") + section);
}

CalibrationRecord record_of(const std::string& section) {
  const auto wafer = wafer_with(section);
  REQUIRE_MESSAGE(wafer.has_value(), problems(wafer));
  REQUIRE(wafer.value().calibration.has_value());
  return *wafer.value().calibration;
}

/// Without the file and line, which are those of another file.
std::string problems_with(const std::string& text, const std::string& replacement) {
  const auto wafer = wafer_with(with(whole, text, replacement));
  if (wafer) return "";
  std::string lines;
  for (const bta::Diagnostic& diagnostic : wafer.error())
    lines += diagnostic.key + ": " + diagnostic.message + "\n";
  return lines;
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("a wafer without a section on its calibration has no record") {
  CHECK_FALSE(wafer_with("").value().calibration.has_value());
}

TEST_CASE("every part of a calibration reaches the record") {
  const CalibrationRecord record = record_of(whole);
  CHECK(record.rows == "four runs");
  CHECK(record.degrees_of_freedom == 3);
  CHECK(record.scatter == 0.07);
  REQUIRE(record.values.size() == 3);
  CHECK(record.values[0].name == "gemm=attention");
  CHECK(record.values[0].standard_error == 0.05);
  CHECK(record.values[1].name == "efficiency.layer_overhead");
  CHECK(record.correlation == std::vector<std::vector<double>>{{1, 0.5, -0.25}, {0.5, 1, 0}, {-0.25, 0, 1}});
}

TEST_CASE("values of a calibration without correlations are independent") {
  const CalibrationRecord record = record_of(whole.substr(0, whole.find("  correlation")));
  CHECK(record.correlation == std::vector<std::vector<double>>{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
}

TEST_CASE("the numbers of a calibration are none of the wafer's own numbers") {
  const bta::Wafer wafer = wafer_with(whole).value();
  for (const bta::SourcedNumber& number : wafer.numbers) CHECK_FALSE(number.key.starts_with("calibration"));
}

TEST_CASE("the parts of a calibration are all needed but the correlations") {
  CHECK(problems_with("  rows: four runs\n", "") == "calibration.rows: the required key 'rows' is missing\n");
  CHECK(problems_with("  degrees_of_freedom: 3\n", "") ==
        "calibration.degrees_of_freedom: the required key 'degrees_of_freedom' is missing\n");
  CHECK(problems_with("  scatter: 0.07\n", "") ==
        "calibration.scatter: the required key 'scatter' is missing\n");
  CHECK(problems_with(whole.substr(whole.find("  standard_error")), "") ==
        "calibration.standard_error: the required key 'standard_error' is missing\n");
  CHECK(problems_with("  scatter: 0.07\n", "  scatter: 0.07\n  scater: 1\n") ==
        "calibration.scater: unknown key 'scater'; did you mean 'scatter'?\n");
}

TEST_CASE("standard errors are those of efficiencies, each named once") {
  CHECK(problems_with("stream_overlap: 0.1", "stream_overlp: 0.1\n    stream_overlap: 0.1") ==
        "calibration.standard_error.stream_overlp: 'stream_overlp' is no parameter of a wafer, nor several "
        "of one kind\n");
  CHECK(problems_with("stream_overlap: 0.1", "stream_overlap: 0.1\n    partial_sum_bytes=wafer_overlap: 1") ==
        "calibration.standard_error.partial_sum_bytes=wafer_overlap: 'partial_sum_bytes=wafer_overlap' is no "
        "parameter of a wafer, nor several of one kind\n");
  CHECK(problems_with("stream_overlap: 0.1", "stream_overlap: 0.1\n    core.sram: 0.5") ==
        "calibration.standard_error.core.sram: sram is no efficiency: measured times do not tell it\n");
  CHECK(problems_with("stream_overlap: 0.1", "stream_overlap: 0.1\n    efficiency.gemm: 0.5") ==
        "calibration.standard_error.efficiency.gemm: gemm is named twice\n");
}

TEST_CASE("numbers of a calibration are in range") {
  CHECK(problems_with("freedom: 3", "freedom: 0") ==
        "calibration.degrees_of_freedom: '0' is too small; a whole number from 1 to 1073741824 is needed\n");
  CHECK(problems_with("attention: 0.05", "attention: -0.05") ==
        "calibration.standard_error.gemm=attention: '-0.05' is out of range; a number of at least 0 and at "
        "most 1e+30 is needed\n");
  CHECK(problems_with("overhead: 0.5", "overhead: 1.5") ==
        "calibration.correlation.gemm=attention.efficiency.layer_overhead: '1.5' is out of range; a number "
        "of at least -1 and at most 1 is needed\n");
  CHECK(problems_with("overhead: 0.5", "overhead: .nan") ==
        "calibration.correlation.gemm=attention.efficiency.layer_overhead: '.nan' is not a finite number; a "
        "number "
        "of at least -1 and at most 1 is needed\n");
}

TEST_CASE("correlations are those of values with a standard error, and of two of them") {
  CHECK(problems_with("{efficiency.layer_overhead: 0.5}", "{gemm=attention: 1}") ==
        "calibration.correlation.gemm=attention.gemm=attention: a value's correlation with itself is 1\n");
  CHECK(problems_with("{efficiency.layer_overhead: 0.5}", "{tile_overhead: 0.5}") ==
        "calibration.correlation.gemm=attention.tile_overhead: has no standard_error\n");
  CHECK(problems_with("stream_overlap: {", "tile_overhead: {") ==
        "calibration.correlation.tile_overhead: has no standard_error\n");
  CHECK(problems_with("{efficiency.layer_overhead: 0.5}", "0.5") ==
        "calibration.correlation.gemm=attention: '0.5' stands where a map of keys is needed\n");
  CHECK(problems_with("stream_overlap: {",
                      "efficiency.layer_overhead: {gemm=attention: 0.4}\n    stream_overlap: {") ==
        "calibration.correlation.efficiency.layer_overhead.gemm=attention: the correlation of this pair "
        "stands twice\n");
}

TEST_CASE("maps of a calibration are maps") {
  CHECK(problems_with(whole, "calibration: 3\n") ==
        "calibration: '3' stands where a map of keys is needed\n");
  CHECK(problems_with(whole.substr(whole.find("  correlation")), "  correlation: 0.5\n") ==
        "calibration.correlation: '0.5' stands where a map of keys is needed\n");
}

TEST_SUITE_END();

}  // namespace
