// Every built-in model on every built-in chip, shapes alone at full size, at the planned (B, G) and one step
// beyond.
#include "verify/full_size.h"

#include <doctest/doctest.h>

#include <chrono>

#include "cost/memory.h"
#include "input/builtin.h"
#include "input/load.h"

namespace {

using namespace bta;
using namespace bta::verify;

void require_passed(const Check& check) {
  INFO(check.claim, " | ", check.about, " | ", check.worst, ": expected ", check.expected.value_or(0),
       ", measured ", check.measured.value_or(0));
  CHECK(check.passed());
}

/// Seconds are checked where the code is optimized and nothing else is built in.
#if defined(NDEBUG)
constexpr double most_seconds = 1;
#else
constexpr double most_seconds = 60;
#endif

double timed(const auto& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void verify_at_full_size(const Problem& problem) {
  const std::vector<FullSizePoint> points = full_size_points(problem);
  REQUIRE(points.size() == 2);
  CHECK(points[0].standing == "planned");
  CHECK(peak_memory(problem, points[0].tiling).bytes <= memory_limit(problem.wafer));
  CHECK(peak_memory(problem, points[1].tiling).bytes > memory_limit(problem.wafer));
  for (const FullSizePoint& point : points) {
    CHECK(timed([&] { require_passed(check_full_size_counts(problem, point)); }) < most_seconds);
    require_passed(check_full_size_times(problem, point));
  }
}

TEST_SUITE_BEGIN("full size");

TEST_CASE(
    "every built-in model on every built-in chip: the schedule run at full size equals the closed forms") {
  for (const Builtin& model : builtin_models())
    for (const Builtin& wafer : builtin_hardware()) {
      CAPTURE(model.name);
      CAPTURE(wafer.name);
      const auto m = load_model(std::string(model.name), {});
      const auto w = load_wafer(std::string(wafer.name), {});
      REQUIRE(m);
      REQUIRE(w);
      verify_at_full_size(make_problem(m.value(), w.value(), Workload{}));
    }
}

TEST_CASE("so do other policies, kernels and placements of the default model") {
  const auto model = load_model("qwen3-30b-a3b", {});
  const auto wafer = load_wafer("cerebras-cs2", {});
  REQUIRE(model);
  REQUIRE(wafer);
  Workload workload;
  workload.checkpoint = Checkpoint::X;
  verify_at_full_size(make_problem(model.value(), wafer.value(), workload));
  workload.checkpoint = Checkpoint::wafer;
  workload.kernel = AttentionKernel::blocked;
  workload.mask = Mask::causal;
  workload.seq_len = 1024;
  workload.placement = Placement::compacted;
  verify_at_full_size(make_problem(model.value(), wafer.value(), workload));
}

TEST_SUITE_END();

}  // namespace
