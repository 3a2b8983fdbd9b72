// Every built-in model on every built-in chip, shapes alone at full size, at the planned (B, G)
// and one step beyond.
#include "verify/full_size.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <stdexcept>

#include "cost/fill.h"
#include "cost/memory.h"
#include "cost/step_time.h"
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
    FullSizeRun run(problem, point);
    CHECK(timed([&] { require_passed(run.counts()); }) < most_seconds);
    require_passed(run.times());
  }
}

TEST_SUITE_BEGIN("full size");

void verify_at_full_size(std::string_view model, std::string_view wafer) {
  CAPTURE(model);
  CAPTURE(wafer);
  const auto m = load_model(std::string(model), {});
  const auto w = load_wafer(std::string(wafer), {});
  REQUIRE(m);
  REQUIRE(w);
  verify_at_full_size(make_problem(m.value(), w.value(), Workload{}));
}

void verify_every_model_on(std::string_view wafer) {
  for (const Builtin& model : builtin_models()) verify_at_full_size(model.name, wafer);
}

TEST_CASE("every built-in model on a CS-2: the schedule run at full size equals the closed forms") {
  verify_every_model_on("cerebras-cs2");
}
TEST_CASE("every built-in model on a CS-3: the schedule run at full size equals the closed forms") {
  verify_every_model_on("cerebras-cs3");
}
TEST_CASE("every built-in model on what-if chips: the schedule run at full size equals the closed forms") {
  for (const Builtin& wafer : builtin_hardware())
    if (!wafer.name.starts_with("cerebras")) verify_every_model_on(wafer.name);
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

TEST_CASE(
    "a step too long to walk through is refused by number, and a small model is planned with fewer tiles") {
  Model tiny;
  tiny.name = "tiny";
  tiny.hidden = tiny.vocabulary = 1;
  tiny.layers.push_back({GroupedQueryAttention{.heads = 1, .kv_heads = 1, .qk_head_dim = 1, .v_head_dim = 1},
                         DenseMlp{.width = 1}});
  const auto wafer = load_wafer("cerebras-cs2", {});
  REQUIRE(wafer);
  const Problem problem = make_problem(tiny, wafer.value(), Workload{});
  CHECK_THROWS_AS(refuse_endless_runs(problem, {1, 1'000'000}), std::invalid_argument);
  for (const FullSizePoint& point : full_size_points(problem)) {
    FullSizeRun run(problem, point);
    require_passed(run.counts());
  }
}

TEST_CASE("fill and drain of four plans, in percent of the step, as docs/model.md says") {
  const auto model = load_model("qwen3-30b-a3b", {});
  const auto wafer = load_wafer("cerebras-cs2", {});
  REQUIRE(model);
  REQUIRE(wafer);
  struct Row {
    std::int64_t top_k, width;
    Tiling tiling;
    double shipped, full;
  };
  for (const Row& row : {Row{8, 768, {27, 47}, 2.4, 12.6}, Row{1, 6144, {23, 57}, 1.9, 10.3},
                         Row{1, 6144, {39, 1}, 1.4, 4.4}, Row{1, 768, {39, 1}, 4.6, 11.4}}) {
    for (const double omega : {0.25, 1.0}) {
      Wafer overlapping = wafer.value();
      overlapping.stream_overlap = omega;
      const Problem problem =
          make_problem(with_experts(model.value(), 128, row.top_k, row.width), overlapping, Workload{});
      double fill = 0;
      for (const PhaseFill& phase : fill_and_drain(problem, row.tiling)) fill += phase.seconds;
      const double percent = 100 * fill / step_time(problem, row.tiling).seconds;
      CHECK(std::round(10 * percent) == std::round(10 * (omega == 1 ? row.full : row.shipped)));
    }
  }
}

TEST_SUITE_END();

}  // namespace
