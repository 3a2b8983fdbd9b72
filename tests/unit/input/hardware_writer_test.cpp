#include "input/hardware_writer.h"

#include "hardware/parameters.h"
#include "input/builtin.h"
#include "unit/input/input_support.h"

namespace {

using namespace bta::test;
using bta::SourcedNumber;
using bta::Wafer;

Wafer good_wafer(const bta::Result<Wafer>& wafer) {
  REQUIRE_MESSAGE(wafer.has_value(), problems(wafer));
  return wafer.value();
}

void check_same_numbers(const std::vector<SourcedNumber>& written,
                        const std::vector<SourcedNumber>& numbers) {
  REQUIRE(written.size() == numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    CAPTURE(numbers[i].key);
    CHECK(written[i].key == numbers[i].key);
    CHECK(written[i].value == numbers[i].value);
    CHECK(written[i].kind == numbers[i].kind);
    CHECK(written[i].source == numbers[i].source);
  }
}

void check_same_record(const Wafer& written, const Wafer& wafer) {
  REQUIRE(written.calibration.has_value() == wafer.calibration.has_value());
  if (!wafer.calibration) return;
  const bta::CalibrationRecord &a = *written.calibration, &b = *wafer.calibration;
  CHECK(a.rows == b.rows);
  CHECK(a.degrees_of_freedom == b.degrees_of_freedom);
  CHECK(a.scatter == b.scatter);
  REQUIRE(a.values.size() == b.values.size());
  for (std::size_t i = 0; i < b.values.size(); ++i) {
    CHECK(a.values[i].name == b.values[i].name);
    CHECK(a.values[i].standard_error == b.values[i].standard_error);
  }
  CHECK(a.correlation == b.correlation);
}

/// What is written reads as the wafer it came from.
void check_survives(const Wafer& wafer) {
  const std::string text = write_wafer_yaml(wafer);
  CAPTURE(text);
  const Wafer written = good_wafer(wafer_from_yaml(text));
  CHECK(written.name == wafer.name);
  for (const bta::WaferParameter& parameter : bta::wafer_parameters()) {
    CAPTURE(parameter.key);
    CHECK(parameter.value(written) == parameter.value(wafer));
  }
  CHECK(written.wafers == wafer.wafers);
  CHECK(written.dense_peak_flops_per_s == wafer.dense_peak_flops_per_s);
  CHECK(written.score_heads == wafer.score_heads);
  CHECK(written.vector_width.bf16 == wafer.vector_width.bf16);
  CHECK(written.vector_width.fp32 == wafer.vector_width.fp32);
  check_same_numbers(written.numbers, wafer.numbers);
  check_same_record(written, wafer);
  CHECK(write_wafer_yaml(written) == text);
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("every built-in hardware is written so that it reads as itself, with the same hash") {
  for (const bta::Builtin& builtin : bta::builtin_hardware()) {
    CAPTURE(builtin.name);
    const Wafer wafer = good_wafer(bta::load_wafer(std::string(builtin.name), {}));
    check_survives(wafer);
    CHECK(good_wafer(wafer_from_yaml(write_wafer_yaml(wafer))).content_hash == wafer.content_hash);
  }
}

TEST_CASE("numbers without a standing are written bare") {
  const Wafer wafer = good_wafer(bta::load_wafer(BTA_TEST_DATA "/hardware/one-core.yaml", {}));
  check_survives(wafer);
}

TEST_CASE("overridden numbers and optional ones are written as they are now") {
  const Wafer wafer = good_wafer(bta::load_wafer("cerebras-cs2", {{"core.multiply_adds_per_cycle.fp32", "2"},
                                                                  {"efficiency.gemm", "0.25"},
                                                                  {"attention_kernel.score_heads", "4"},
                                                                  {"peak.sparse_marketing", "9PFLOP/s"}}));
  CHECK(wafer.score_heads == 4);
  check_survives(wafer);
}

TEST_CASE("texts that YAML would take for something else are quoted") {
  Wafer wafer = good_wafer(bta::load_wafer("cerebras-cs2", {}));
  for (const std::string text : {"a: b # c",
                                 "\"quoted\" 'twice'",
                                 "- item",
                                 "{flow}, [list]",

                                 "back\\slash",
                                 " spaces ",
                                 "\xC3\xA9t\xC3\xA9 \xE2\x80\x94 \xE6\x97\xA5",
                                 "*anchor",
                                 "&x",
                                 "%",
                                 "@",
                                 "null",
                                 "true",
                                 "12",
                                 "1e3",
                                 "~",
                                 "?",
                                 ":",
                                 "!tag",
                                 "0x1F"}) {
    CAPTURE(text);
    wafer.numbers.front().source = text;
    wafer.calibration.value().rows = text;
    check_survives(wafer);
  }
}

TEST_CASE("names that YAML would take for something else are quoted") {
  Wafer wafer = good_wafer(bta::load_wafer("cerebras-cs2", {}));
  for (const std::string text : {"a: b # c", "\"quoted\"", "- item", "{flow}", "null", "true", "12", "~",
                                 "\xC3\xA9t\xC3\xA9", "#hash", "!tag"}) {
    CAPTURE(text);
    wafer.name = text;
    check_survives(wafer);
  }
}

TEST_CASE("a record of one value is written without correlations, one of three with three") {
  Wafer wafer = good_wafer(bta::load_wafer("cerebras-cs2", {}));
  wafer.calibration = bta::CalibrationRecord{"r", 1, 0, {{"gemm", 1e-9}}, {{1}}};
  CHECK(write_wafer_yaml(wafer).find("correlation") == std::string::npos);
  check_survives(wafer);
  wafer.calibration =
      bta::CalibrationRecord{"r",
                             7,
                             0.1,
                             {{"gemm=attention", 0.1}, {"stream_overlap", 0}, {"layer_overhead", 1e-5}},
                             {{1, -0.25, 0.5}, {-0.25, 1, 0.125}, {0.5, 0.125, 1}}};
  check_survives(wafer);
}

TEST_SUITE_END();

}  // namespace
