// Does the sensitivity print what the files under tests/golden/data say? Its record is made by hand: every
// scale, every kind of step, and what is absent.
#include <doctest/doctest.h>

#include "golden/golden_file.h"
#include "golden/sample_records.h"
#include "report/sensitivity_report.h"

namespace {

using namespace bta;
using namespace bta::golden;

ParameterEffect effect(std::string_view key, double value, std::string written, std::string kind) {
  ParameterEffect e;
  e.parameter = find_parameter(key);
  e.value = value;
  e.written = std::move(written);
  e.kind = std::move(kind);
  return e;
}

ParameterEffect of_gemm() {
  ParameterEffect e = effect("efficiency.gemm", 0.5, "0.5", "calibrated");
  e.elasticity = 0.4375;
  e.step = SmallStep{0.505, 0.004375, true};
  e.less = Replanned{0.45, -0.0625, Tiling{3, 6}};
  e.more = Replanned{0.55, 0.03125, Tiling{2, 9}};
  return e;
}

/// Nothing fits with less; more buys a larger batch only.
ParameterEffect of_sram() {
  ParameterEffect e = effect("core.sram", 49152, "48KiB", "datasheet");
  e.elasticity = 0;
  e.step = SmallStep{49643.52, 0, true};
  e.less = Replanned{44236.8, -1, {}};
  e.more = Replanned{54067.2, 0.125, Tiling{3, 7}};
  return e;
}

ParameterEffect of_overlap() {
  ParameterEffect e = effect("efficiency.wafer_overlap", 1, "1", "assumed");
  e.step = SmallStep{0.99, -0.00005, true};
  e.less = Replanned{0.95, -0.00025, Tiling{3, 5}};
  return e;
}

ParameterEffect of_reserve() {
  ParameterEffect e = effect("core.reserved_fraction", 0.02, "0.02", "assumed");
  e.step = SmallStep{0.03, 0, false};
  e.less = Replanned{0, 0.0078125, Tiling{3, 6}};
  e.more = Replanned{0.07, -0.015625, Tiling{3, 4}};
  return e;
}

ParameterEffect of_rows() {
  ParameterEffect e = effect("grid.rows", 750, "", "");
  e.elasticity = 0.25;
  e.step = SmallStep{758, 0.002, true};
  e.less = Replanned{675, -0.02, Tiling{3, 5}};
  e.more = Replanned{825, 0.02, Tiling{3, 5}};
  return e;
}

ParameterEffect of_tiles() {
  ParameterEffect e = effect("efficiency.tile_overhead", 0, "0s", "measured");
  e.step = SmallStep{1e-4, -0.5, true};
  e.more = Replanned{1e-4, -0.25, Tiling{15, 1}};
  return e;
}

ParameterEffect of_blocks() {
  ParameterEffect e = effect("attention_kernel.block_rows", 128, "128", "assumed");
  e.elasticity = 0;
  e.step = SmallStep{129, 0, true};
  e.less = Replanned{115, 0, Tiling{3, 5}};
  e.more = Replanned{141, 0, Tiling{3, 5}};
  return e;
}

Sensitivity sample_sensitivity() {
  const Candidate best{{3, 5}, 0.8125, 37809.25, Bytes(750)};
  return {make_problem(sample_model(), sample_wafer(), {}),
          {},
          best,
          "",
          best,
          {of_sram(), of_tiles(), of_gemm(), of_rows(), of_reserve(), of_overlap(), of_blocks()}};
}

/// Nothing fits before a step: no change can be told, only what fits after it.
Sensitivity infeasible_sensitivity() {
  Sensitivity s = sample_sensitivity();
  s.reason = "B=3 G=5: attention backward needs 2 GB of 1 GB, \"live\" | scores";
  s.best.reset();
  ParameterEffect sram = of_sram(), gemm = of_gemm();
  sram.step->fits = gemm.step->fits = false;
  sram.less->change = sram.more->change = gemm.less->change = gemm.more->change = std::nullopt;
  gemm.less->tiling = gemm.more->tiling = std::nullopt;
  s.effects = {gemm, sram};
  return s;
}

TEST_SUITE_BEGIN("golden");

TEST_CASE("the sensitivity prints as its goldens say") {
  check_all_formats("sensitivity",
                    [](Format format) { return write_sensitivity(sample_sensitivity(), format); });
}

TEST_CASE("the sensitivity of a point where nothing fits prints as its goldens say") {
  check_all_formats("sensitivity_infeasible",
                    [](Format format) { return write_sensitivity(infeasible_sensitivity(), format); });
}

TEST_SUITE_END();

}  // namespace
