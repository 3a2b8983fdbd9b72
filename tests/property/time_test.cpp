#include <doctest/doctest.h>

#include <functional>

#include "cost/flops.h"
#include "cost/memory.h"
#include "cost/step_time.h"
#include "plan/plan.h"
#include "support/random_problem.h"

using namespace bta;
using fixtures::RandomProblem;

namespace {

struct Improvement {
  const char* name;
  std::function<void(Wafer&)> apply;
};
const Improvement improvements[] = {
    {"stream in", [](Wafer& w) { w.stream_in_bytes_per_s *= 1.3; }},
    {"stream out", [](Wafer& w) { w.stream_out_bytes_per_s *= 1.3; }},
    {"clock", [](Wafer& w) { w.clock_hz *= 1.1; }},
    {"SRAM read", [](Wafer& w) { w.sram_read_bytes_per_cycle *= 2; }},
    {"SRAM write", [](Wafer& w) { w.sram_write_bytes_per_cycle *= 2; }},
    {"link", [](Wafer& w) { w.link_bytes_per_cycle *= 1.5; }},
    {"GEMM efficiency", [](Wafer& w) { w.gemm_efficiency *= 1.2; }},
    {"attention efficiency", [](Wafer& w) { w.attention_efficiency *= 1.2; }},
    {"narrower partial sums", [](Wafer& w) { w.partial_sum_bytes /= 2; }},
    {"wafer overlap", [](Wafer& w) { w.wafer_overlap = 1; }},
    {"stream overlap", [](Wafer& w) { w.stream_overlap = 1; }},
    {"layer overhead", [](Wafer& w) { w.layer_overhead_s /= 2; }},
    {"tile overhead", [](Wafer& w) { w.tile_overhead_s /= 2; }},
    {"expert overhead", [](Wafer& w) { w.expert_overhead_s /= 2; }},
};

double best_tokens_per_s(const Problem& problem) {
  const SearchResult result = search(problem, {});
  return result.best.empty() ? 0 : result.best[0].tokens_per_s;
}

}  // namespace

TEST_SUITE("property") {
  TEST_CASE("throughput of a point never falls when any rate, overlap or efficiency rises") {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
      RandomProblem random(seed);
      const Problem problem = random.problem();
      const Tiling tiling{random.between(1, 9), random.between(1, 9)};
      const double before = evaluate(problem, tiling).tokens_per_s;
      for (const Improvement& better : improvements) {
        CAPTURE(seed);
        CAPTURE(better.name);
        Problem improved = problem;
        better.apply(improved.wafer);
        CHECK(evaluate(improved, tiling).tokens_per_s >= before * (1 - 1e-13));
      }
    }
  }

  TEST_CASE("the planned throughput never falls when memory, bandwidth, clock or efficiency rises") {
    for (std::uint64_t seed = 200; seed <= 260; ++seed) {
      CAPTURE(seed);
      const Problem problem = RandomProblem(seed).problem();
      const double before = best_tokens_per_s(problem);
      for (const Improvement& better : improvements) {
        Problem improved = problem;
        better.apply(improved.wafer);
        CHECK(best_tokens_per_s(improved) >= before * (1 - 1e-12));
      }
      Problem larger = problem;
      larger.wafer.sram_per_core = Bytes(larger.wafer.sram_per_core.value * 3 / 2);
      CHECK(best_tokens_per_s(larger) >= before);
    }
  }

  TEST_CASE(
      "every phase and every step takes at least each resource's own time, and no more than their sum") {
    for (std::uint64_t seed = 300; seed <= 500; ++seed) {
      CAPTURE(seed);
      RandomProblem random(seed);
      const StepTime step = step_time(random.problem(), {random.between(1, 9), random.between(1, 9)});
      double busy_sum = 0;
      for (const PhaseTime& phase : step.phases) {
        double sum = 0;
        for (const double seconds : phase.timed.busy.seconds) {
          CHECK(phase.timed.seconds >= seconds * (1 - 1e-12));
          sum += seconds;
        }
        CHECK(phase.timed.seconds <= sum * (1 + 1e-12));
        busy_sum += sum;
      }
      for (const double seconds : step.busy.seconds) CHECK(step.seconds >= seconds * (1 - 1e-12));
      CHECK(step.seconds <= busy_sum * (1 + 1e-12));
    }
  }

  TEST_CASE("no point is above the compute roofline of its grid or below zero") {
    for (std::uint64_t seed = 600; seed <= 800; ++seed) {
      CAPTURE(seed);
      RandomProblem random(seed);
      const Problem problem = random.problem();
      const Tiling tiling{random.between(1, 9), random.between(1, 9)};
      const double hardware = as_double(count_flops(problem, micro_batch(tiling).value).hardware);
      const double used = utilization(problem, hardware, step_time(problem, tiling).seconds).of_grid_peak;
      CHECK(used > 0);
      CHECK(used <=
            std::max(problem.wafer.gemm_efficiency, problem.wafer.attention_efficiency) * (1 + 1e-12));
    }
  }

  TEST_CASE("memory never falls when B rises at fixed N, or N at fixed B, on random problems") {
    for (std::uint64_t seed = 900; seed <= 1000; ++seed) {
      CAPTURE(seed);
      const Problem problem = RandomProblem(seed).problem();
      const auto peak = [&](std::int64_t b, std::int64_t n) {
        return peak_memory(memory_phases(problem, {b, n, expert_capacities(problem, n)})).bytes;
      };
      for (std::int64_t b = 1; b <= 6; ++b)
        for (std::int64_t n = b; n <= 12; ++n) {
          CHECK(peak(b + 1, n) >= peak(b, n));
          CHECK(peak(b, n + 1) >= peak(b, n));
        }
    }
  }

  TEST_CASE("the gain of larger expert batches never shrinks as top_k falls, all else fixed") {
    Workload workload;
    workload.seq_len = 400;
    double previous = 0;
    for (const std::int64_t top_k : {8, 4, 2, 1}) {
      Model model = with_experts(fixtures::qwen3_30b_a3b(), 128, top_k, 768);
      model.layers.resize(1);
      const Problem problem = make_problem(model, fixtures::one_core(), workload);
      const auto rate = [&](std::int64_t sequences) {
        const std::int64_t tokens = 400 * sequences;
        const LayerLoads loads = expected_loads(problem, problem.layers[0], tokens);
        return as_double(sequences) /
               expected_expert_time(problem, problem.layers[0], tokens, loads).forward.seconds;
      };
      const double gain = rate(8) / rate(1);
      CHECK(gain >= previous * (1 - 1e-12));
      CHECK(gain <= 8 * (1 + 1e-12));
      previous = gain;
    }
  }

  TEST_CASE("ratios of a plan row follow from its throughputs") {
    const auto made = levels(fixtures::qwen3_30b_a3b(), {.iso_active = true});
    const Plan plan = make_plan({fixtures::qwen3_30b_a3b(), fixtures::cs2(), {}, {}, made.value(), true});
    for (const PlanRow& row : plan.rows) {
      CHECK(*row.speedup == row.best->tokens_per_s / row.uniform->tokens_per_s);
      CHECK(*row.loss_uniform == 1 - row.uniform->tokens_per_s / row.dense->tokens_per_s);
      CHECK(*row.loss_bta == 1 - row.best->tokens_per_s / row.dense->tokens_per_s);
      CHECK(row.best->peak <= row.memory_limit);
      CHECK(*row.speedup >= 1);
    }
  }
}
