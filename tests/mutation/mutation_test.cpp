// Verification notices every wrong formula: each term of FLOPs, traffic, memory and time is changed alone,
// and one of verify's checks must fail. The terms come from the formulas as they run; every operator, tensor,
// stream and resource of the tables must be among them.
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>

#include "cost/flops.h"
#include "cost/memory.h"
#include "cost/step_time.h"
#include "cost/traffic.h"
#include "mutation/mutants.h"
#include "support/fixtures.h"
#include "support/sample.h"
#include "verify/verify.h"

namespace {

using namespace bta;
using mutation::Active;
using mutation::Mutant;
using test::sample;

/// Everything a layer can have, so that every term is there.
Model everything() {
  Model model = fixtures::t1();
  GroupedQueryAttention attention = std::get<GroupedQueryAttention>(model.layers[0].attention);
  attention.qk_norm = QkNorm::per_head;
  attention.qkv_bias = attention.output_bias = true;
  attention.window = Window{3};
  model.layers = {
      {attention, MoeMlp{.experts = 8, .top_k = 2, .width = 32, .shared_width = 24, .shared_gate = true}},
      {attention, DenseMlp{.width = 40, .bias = true}},
      {attention, MoeMlp{.experts = 5, .top_k = 1, .width = 16, .gated = false}},
      {LatentAttention{.heads = 4,
                       .q_rank = 24,
                       .kv_rank = 16,
                       .nope_head_dim = 8,
                       .rope_head_dim = 4,
                       .v_head_dim = 12,
                       .bias = true},
       DenseMlp{.width = 20}}};
  GroupedQueryAttention chunked{.heads = 4, .kv_heads = 2, .qk_head_dim = 16, .v_head_dim = 16};
  chunked.window = Window{5, true};
  chunked.rotary_dim = 8;
  chunked.sinks = true;
  chunked.qk_norm = QkNorm::unit;
  MoeMlp biased{.experts = 6, .top_k = 2, .width = 12};
  biased.router_bias = biased.selection_bias = biased.expert_bias = true;
  model.layers.push_back({chunked, biased});
  model.layers.back().norm_bias = true;
  model.layers.push_back({chunked, DenseMlp{.width = 10}});
  model.layers.back().parallel = true;
  model.norm_bias = model.head_bias = true;
  return model;
}

/// Every overhead and every overlap counts.
Wafer awkward() {
  Wafer wafer = fixtures::cs2();
  wafer.rows = 40;
  wafer.columns = 30;
  wafer.tile_overhead_s = 2e-4;
  wafer.expert_overhead_s = 1e-4;
  wafer.wafer_overlap = 0.5;
  wafer.score_tensors_forward = 2;
  wafer.score_tensors_backward = 3;
  return wafer;
}

verify::Request request() {
  return {.problem = make_problem(everything(), awkward(), Workload{}), .results = false, .random_cases = 30};
}

/// A check of verify that fails or throws, tried from `first` on; none when all pass.
std::optional<std::size_t> noticed_by(std::size_t first = 0) {
  const std::vector<verify::Task> tasks = verify::tasks(request());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::size_t at = (first + i) % tasks.size();
    try {
      if (!tasks[at].run().passed()) return at;
    } catch (const std::exception&) {
      return at;
    }
  }
  return std::nullopt;
}

/// Runs everything once unchanged, so that the terms are known.
const std::set<Mutant>& terms() {
  static const std::optional<std::size_t> failed = noticed_by();
  REQUIRE_FALSE(failed.has_value());
  return mutation::reached();
}

bool is_term(std::string_view quantity, std::string_view subject, std::string_view part) {
  return terms().contains({std::string(quantity), std::string(subject), std::string(part)});
}

std::vector<Operator> all_operators() {
  const Problem problem = request().problem;
  std::vector<Operator> operators = problem.head;
  for (const ProblemLayer& layer : problem.layers)
    operators.insert(operators.end(), layer.operators.begin(), layer.operators.end());
  return operators;
}

TEST_SUITE_BEGIN("mutation");

TEST_CASE("nothing is noticed when nothing is wrong") {
  CHECK(terms().size() >= 900);
}

TEST_CASE("every operator has mutants of its FLOPs, forward and gradients") {
  for (const Operator& op : all_operators()) {
    CAPTURE(op.name);
    CHECK(is_term("FLOPs", op.name, "forward"));
    CHECK(is_term("FLOPs", op.name, "forward passes"));
    if (op.differentiated) CHECK(is_term("FLOPs", op.name, "gradients"));
  }
}

TEST_CASE("every operator that takes time has mutants of every resource, forward and gradients") {
  for (const Operator& op : all_operators()) {
    CAPTURE(op.name);
    if (std::holds_alternative<Gemm>(op.work)) {
      for (const char* const part : {"compute", "sram", "broadcast", "reduce"}) {
        CHECK(is_term("time", op.name, part));
        CHECK(is_term("time", op.name, std::string("input gradient ") + part));
        if (std::string_view(part) != "broadcast")
          CHECK(is_term("time", op.name, std::string("weight gradient ") + part));
      }
    }
    if (std::holds_alternative<AttentionProduct>(op.work)) CHECK(is_term("time", op.name, "attention"));
  }
}

TEST_CASE("every tensor of every phase has mutants of its bytes and of both ends of its life") {
  for (const Checkpoint checkpoint : {Checkpoint::XY, Checkpoint::X, Checkpoint::wafer}) {
    Workload workload;
    workload.checkpoint = checkpoint;
    const Problem problem = make_problem(everything(), awkward(), workload);
    for (const PhaseMemory& memory : memory_phases(problem, {1, 2, expert_capacities(problem, 2)}))
      for (const Tensor& tensor : memory.tensors)
        for (const char* const part : {"bytes", "first", "last"}) {
          CAPTURE(tensor.name);
          CHECK(is_term(memory_phase_name(memory.phase), tensor.name, part));
        }
  }
}

TEST_CASE("every stream of every phase has a mutant") {
  const Problem problem = request().problem;
  for (const ProblemLayer& layer : problem.layers)
    for (const PhaseTraffic& traffic : layer_traffic(problem, layer, 2)) {
      const std::string_view phase = phase_name(traffic.kind);
      CAPTURE(phase);
      if (traffic.weights_in.value > 0) CHECK(is_term("traffic", phase, "weights in"));
      if (traffic.checkpoint_in.value > 0) CHECK(is_term("traffic", phase, "checkpoint in"));
      if (traffic.gradients_out.value > 0) CHECK(is_term("traffic", phase, "gradients out"));
      if (traffic.checkpoint_out.value > 0) CHECK(is_term("traffic", phase, "checkpoint out"));
    }
}

TEST_CASE("verify notices every mutant") {
  const std::vector<Mutant> mutants = sample(std::vector<Mutant>(terms().begin(), terms().end()), 200);
  std::size_t likely = 0;  // neighbours are noticed by the same check
  for (const Mutant& mutant : mutants) {
    const Active active(mutant);
    const std::optional<std::size_t> noticed = noticed_by(likely);
    CHECK_MESSAGE(noticed.has_value(), mutant.name());
    likely = noticed.value_or(0);
  }
}

TEST_SUITE_END();

}  // namespace
