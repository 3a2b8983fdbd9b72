// A measured routing belongs to one number of experts.
#include <doctest/doctest.h>

#include "plan/level.h"
#include "support/fixtures.h"

using namespace bta;

namespace {

MeasuredRouting counts(std::vector<double> tokens) {
  return {std::move(tokens), "r.csv"};
}

std::string problems(const Model& model, const LevelRequest& request, const Routing& routing) {
  std::string text;
  const auto result = levels(model, request, routing);
  if (!result)
    for (const Diagnostic& diagnostic : result.error()) text += to_string(diagnostic) + "\n";
  return text;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("with a measured routing the default levels are those at the model's own number of experts") {
    const auto found = levels(fixtures::qwen3_30b_a3b(), {}, counts(std::vector<double>(128, 1)));
    CHECK(found.value() == std::vector<Level>{{128, 8, 768}, {128, 4, 768}, {128, 2, 768}, {128, 1, 768}});
  }

  TEST_CASE("levels asked for stay as they are when the number of experts is the measured one") {
    const auto found = levels(fixtures::qwen3_30b_a3b(), {.experts = {64}, .top_k = {2}},
                              counts(std::vector<double>(64, 1)));
    CHECK(found.value() == std::vector<Level>{{64, 2, 768}});
  }

  TEST_CASE("levels with another number of experts are named once, with the remedy") {
    const MeasuredRouting routing = counts(std::vector<double>(64, 1));
    CHECK(problems(fixtures::qwen3_30b_a3b(), {}, routing) ==
          "command line: error: --routing: r.csv has counts of 64 experts, but levels with 128 experts are "
          "planned; give --experts 64\n");
    CHECK(
        problems(fixtures::qwen3_30b_a3b(), {.experts = {128, 64, 32}, .top_k = {8, 4}}, routing) ==
        "command line: error: --routing: r.csv has counts of 64 experts, but levels with 32, 128 experts are "
        "planned; give --experts 64\n");
  }

  TEST_CASE("a token cannot pick more experts than ever had one") {
    const MeasuredRouting routing = counts({5, 0, 1, 0, 0, 2, 0, 0});
    CHECK(problems(fixtures::t1(), {}, routing).empty());
    CHECK(
        problems(fixtures::t1(), {.top_k = {3, 4, 8}}, routing) ==
        "command line: error: --routing: only 3 of the 8 experts in r.csv have tokens, too few for top_k 4, "
        "8; give --top-k 3 or less\n");
  }

  TEST_CASE("a dense model has no experts that tokens were counted of") {
    CHECK(problems(fixtures::qwen3_4b(), {.top_k = {2}}, counts({1})) ==
          "command line: error: --experts, --top-k: qwen3-4b is dense: it has no experts to vary; leave "
          "these options out\n"
          "command line: error: --routing: qwen3-4b is dense: it has no experts that tokens were counted "
          "of; leave this option out\n");
  }
}
