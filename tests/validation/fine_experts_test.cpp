// The same experts cut into more and narrower ones: what stays, what grows, and what binds. The numbers that
// docs/routing.md states.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "input/load.h"
#include "plan/explain.h"
#include "support/approx.h"

using namespace bta;

namespace {

constexpr Tiling tokens_65536{32, 1};  // of S = 2048

Model example(const std::string& name) {
  return load_model(std::string(BTA_SOURCE_DIR) + "/examples/" + name + "-experts.yaml", {}).value();
}

Explanation explained(const Model& model, Placement placement = Placement::masked) {
  Workload workload;
  workload.placement = placement;
  return explain(make_problem(model, load_wafer("cerebras-cs2", {}).value(), workload), {}, tokens_65536);
}

const OperatorCost& cost(const Explanation& e, std::string_view name, std::string_view phase) {
  return *std::ranges::find_if(e.operators,
                               [&](const OperatorCost& op) { return op.name == name && op.phase == phase; });
}

Resource bound(const Explanation& e, std::string_view name, std::string_view phase) {
  return cost(e, name, phase).bound.value();
}

double reduce_ratio(const Explanation& fine, const Explanation& coarse, std::string_view name) {
  return cost(fine, name, "experts forward").busy[Resource::reduce] /
         cost(coarse, name, "experts forward").busy[Resource::reduce];
}

}  // namespace

TEST_SUITE("validation") {
  TEST_CASE("8 experts of 14336 and 56 of 2048: the same weights and tokens, seven times the routed inputs") {
    const Explanation coarse = explained(example("coarse")), fine = explained(example("fine"));
    for (const Explanation& e : {coarse, fine}) {
      CHECK(e.parameters.routed_experts == 32 * std::int64_t{1'409'286'144});
      CHECK(e.parameters.routed_experts_active == 32 * std::int64_t{352'321'536});
      CHECK(e.row_fill->tokens_per_expert == 16384);
      CHECK(e.row_fill->gate_and_up.value == 7'516'192'768);
    }
    CHECK(coarse.row_fill->routed_inputs.value == 1'073'741'824);
    CHECK(fine.row_fill->routed_inputs.value == 7'516'192'768);
  }

  TEST_CASE(
      "both cuts are bound by compute, with rows as full, and only the down projection's reduce grows, by "
      "7") {
    const Explanation coarse = explained(example("coarse")), fine = explained(example("fine"));
    for (const Explanation& e : {coarse, fine})
      for (const std::string_view name : {"expert_gate_proj", "expert_up_proj", "expert_down_proj"})
        for (const std::string_view phase : {"experts forward", "experts backward"})
          CHECK(bound(e, name, phase) == Resource::compute);
    CHECK(fine.row_fill->compute_density == coarse.row_fill->compute_density);
    CHECK(reduce_ratio(fine, coarse, "expert_gate_proj") == bta::approx(1).epsilon(1e-12));
    CHECK(reduce_ratio(fine, coarse, "expert_down_proj") == bta::approx(7).epsilon(1e-12));
    CHECK(fine.tokens_per_s == bta::approx(coarse.tokens_per_s).epsilon(1e-3));
  }

  TEST_CASE("finer still, reduce takes over and throughput falls, as the documents say") {
    struct Cut {
      std::int64_t experts, top_k, width, masked, compacted;
      Resource down_forward, gate_backward;
    };
    const Resource compute = Resource::compute, reduce = Resource::reduce;
    for (const Cut& cut : {Cut{8, 2, 14336, 13165, 16678, compute, compute},
                           {56, 14, 2048, 13162, 16350, compute, compute},
                           {112, 28, 1024, 13160, 15982, compute, compute},
                           {224, 56, 512, 11941, 14215, reduce, compute},
                           {448, 112, 256, 9249, 10838, reduce, reduce}}) {
      CAPTURE(cut.experts);
      const Model model = with_experts(example("coarse"), cut.experts, cut.top_k, cut.width);
      const Explanation e = explained(model);
      CHECK(std::llround(e.tokens_per_s) == cut.masked);
      CHECK(std::llround(explained(model, Placement::compacted).tokens_per_s) == cut.compacted);
      CHECK(bound(e, "expert_down_proj", "experts forward") == cut.down_forward);
      CHECK(bound(e, "expert_gate_proj", "experts backward") == cut.gate_backward);
    }
  }

  TEST_CASE("a product over fewer than C*v*eta*r/link = 750.45 inputs is bound by reduce on a CS-2") {
    for (const auto& [width, resource] : {std::pair{751, Resource::compute}, {750, Resource::reduce}})
      CHECK(bound(explained(with_experts(example("coarse"), 112, 28, width)), "expert_down_proj",
                  "experts forward") == resource);
  }
}
