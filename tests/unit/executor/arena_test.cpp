// Every allocation is seen: names and bytes by phase and step, the peak, what is left.
#include "executor/arena.h"

#include <doctest/doctest.h>

#include "executor/tensor.h"

namespace {

using namespace bta;
using namespace bta::executor;

TEST_SUITE_BEGIN("executor");

TEST_CASE("the arena's peak is the most bytes alive at once, by phase and in all") {
  Arena arena;
  arena.enter(MemoryPhase::attention_forward, 0);
  const auto a = arena.allocate("a", 100_B);
  const auto b = arena.allocate("b", 50_B);
  arena.release(b);
  const auto c = arena.allocate("c", 20_B);
  arena.leave();
  arena.enter(MemoryPhase::head, 0);
  arena.release(c);
  arena.allocate("d", 5_B);
  arena.leave();
  REQUIRE(arena.phases().size() == 2);
  CHECK(arena.phases()[0].peak == 150_B);
  CHECK(arena.phases()[1].peak == 120_B);
  CHECK(arena.peak() == 150_B);
  CHECK(arena.current() == 105_B);
  CHECK(arena.live() == 2);
  arena.release(a);
  CHECK(arena.current() == 5_B);
}

TEST_CASE("a tensor counts at every step at which it is alive at any moment, and at no other") {
  Arena arena;
  arena.enter(MemoryPhase::moe_forward, 3);
  const auto a = arena.allocate("a", 10_B);
  arena.step(2);
  const auto b = arena.allocate("b", 20_B);
  arena.release(b);
  arena.step(3);
  arena.release(a);
  arena.step(4);
  arena.leave();
  const PhaseUse use = arena.phases().front();
  CHECK(use.layer == 3);
  CHECK(use.steps[0] == std::vector<NamedBytes>{{"a", 10_B}});
  CHECK(use.steps[1] == std::vector<NamedBytes>{{"a", 10_B}, {"b", 20_B}});
  CHECK(use.steps[2] == std::vector<NamedBytes>{{"a", 10_B}});
  CHECK(use.steps[3].empty());
}

TEST_CASE("tensors of one name add up, whatever the address of the name") {
  Arena arena;
  const std::string first = "buffer", second = "buffer";
  arena.enter(MemoryPhase::head, 0);
  arena.allocate(first, 10_B);
  arena.allocate(second, 10_B);
  CHECK(arena.phases().front().steps[0] == std::vector<NamedBytes>{{"buffer", 20_B}});
}

TEST_CASE("a renamed tensor is counted under its new name only, and what happens between phases in none") {
  Arena arena;
  arena.enter(MemoryPhase::attention_forward, 0);
  const auto y = arena.allocate("X, becoming Y", 10_B);
  arena.leave();
  arena.rename(y, "Y");
  const auto passing = arena.allocate("passing", 99_B);
  arena.release(passing);
  arena.enter(MemoryPhase::moe_forward, 0);
  CHECK(arena.phases()[0].steps[0] == std::vector<NamedBytes>{{"X, becoming Y", 10_B}});
  CHECK(arena.phases()[1].steps[0] == std::vector<NamedBytes>{{"Y", 10_B}});
  CHECK(arena.phases()[1].peak == 10_B);
  CHECK(arena.peak() == 109_B);
}

TEST_CASE("the arena keeps its events in order when asked") {
  Arena arena(true);
  const auto a = arena.allocate("a", 8_B);
  arena.allocate("b", 2_B);
  arena.release(a);
  REQUIRE(arena.events().size() == 3);
  CHECK(arena.events()[2].name == "a");
  CHECK(arena.events()[2].change == Bytes(-8));
  CHECK(arena.events()[2].current == 2_B);
}

TEST_CASE("a tensor's bytes are declared: 2-byte activations count 2 bytes though the arithmetic is double") {
  Arena arena;
  {
    Tensor<double> tensor(arena, "t", {3, 5, 2}, true);
    CHECK(arena.current() == 30_B);
    CHECK(tensor.data.size() == 15);
    Tensor<double> moved = std::move(tensor);
    CHECK(arena.live() == 1);
    moved = Tensor<double>(arena, "u", {1, 1, 4}, false);
    CHECK(arena.current() == 4_B);
    CHECK(moved.data.size() == 0);
  }
  CHECK(arena.live() == 0);
  CHECK(arena.current() == 0_B);
}

TEST_SUITE_END();

}  // namespace
