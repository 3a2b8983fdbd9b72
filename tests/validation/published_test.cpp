// Parameter counts against published numbers.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "input/builtin.h"
#include "model/parameters.h"
#include "validation/loaded.h"

using namespace bta;
using validation::model;

namespace {

/// What a publisher counts as active.
enum class Active { whole, no_embedding, inner_only };  // inner_only: without embedding and head

struct PublishedCount {
  const char* name;
  std::int64_t total, active, active_without_embedding;
  double published_total, published_active;  // as the publisher rounds them
  Active counts = Active::whole;
  double total_rounding = 0.01, active_rounding = 0.02;  // wider only where a figure has two digits or is cut
};
// Published: the hub's weight files, the model cards, the papers, else the figures in a model's name.
const PublishedCount counts[] = {
    {"cerebras-gpt-13b", 12'853'386'240, 12'853'386'240, 12'853'386'240, 13e9, 13e9, Active::whole, 0.012},
    {"dbrx", 131'596'523'520, 36'469'708'800, 35'853'146'112, 132e9, 36e9},
    {"deepseek-moe-16b", 16'375'728'128, 2'828'650'496, 2'618'935'296, 16.4e9, 2.8e9},
    {"deepseek-v2-lite", 15'706'484'224, 2'661'150'208, 2'451'435'008, 15.7e9, 2.4e9, Active::no_embedding,
     0.01, 0.025},
    {"deepseek-v2", 235'741'434'880, 21'375'800'320, 20'851'512'320, 236e9, 21e9},
    {"deepseek-v3", 671'026'419'200, 37'552'297'472, 36'625'618'432, 671e9, 37e9},
    {"dots.llm1", 142'774'381'696, 14'016'588'928, 13'393'734'784, 142e9, 14e9},
    {"ernie-4.5-21b-a3b", 21'825'437'888, 3'352'150'208, 3'352'150'208, 21e9, 3e9, Active::inner_only, 0.04,
     0.03},
    {"glm-4.5-air", 106'852'251'264, 13'424'129'664, 12'803'372'672, 106e9, 12e9, Active::inner_only},
    {"glm-4.5", 352'797'829'024, 33'632'266'144, 32'856'319'904, 355e9, 32e9, Active::inner_only},
    {"gpt-3-175b", 174'604'259'328, 174'604'259'328, 174'604'259'328, 174.6e9, 174.6e9},
    {"gpt-j-6b", 6'050'882'784, 6'050'882'784, 5'844'444'384, 6.05e9, 6.05e9},
    {"gpt-oss-120b", 116'829'156'672, 5'711'982'912, 5'132'849'472, 116.83e9, 5.13e9, Active::no_embedding},
    {"gpt-oss-20b", 20'914'757'184, 4'187'440'704, 3'608'307'264, 20.91e9, 3.61e9, Active::no_embedding},
    {"gpt2", 124'439'808, 124'439'808, 124'439'808, 0.124e9, 0.124e9},
    {"granite-3.0-3b-a800m", 3'298'793'472, 882'874'368, 882'874'368, 3.3e9, 0.8e9, Active::inner_only},
    {"grok-1", 315'684'820'992, 83'756'587'008, 83'756'587'008, 314e9, 86e9, Active::whole, 0.01, 0.03},
    {"hunyuan-a13b", 80'393'183'232, 12'747'448'320, 12'747'448'320, 80e9, 13e9},
    {"kimi-k2", 1'026'408'232'448, 32'861'500'928, 31'687'095'808, 1000e9, 32e9, Active::no_embedding, 0.03},
    {"ling-lite-1.5", 16'801'974'272, 2'753'153'024, 2'494'154'752, 16.8e9, 2.75e9},
    {"llama-2-70b", 68'976'648'192, 68'976'648'192, 68'714'504'192, 69e9, 69e9},
    {"llama-2-7b", 6'738'415'616, 6'738'415'616, 6'607'343'616, 6.7e9, 6.7e9},
    {"llama-3.1-70b", 70'553'706'496, 70'553'706'496, 69'503'033'344, 70.6e9, 70.6e9},
    {"llama-3.1-8b", 8'030'261'248, 8'030'261'248, 7'504'924'672, 8.03e9, 8.03e9},
    {"llama-4-maverick", 400'711'848'960, 17'184'691'200, 16'150'205'440, 400e9, 17e9},
    {"llama-4-scout", 107'769'861'120, 17'172'894'720, 16'138'408'960, 109e9, 17e9, Active::whole, 0.012},
    {"minimax-m2", 228'689'764'864, 11'030'553'088, 10'415'956'480, 230e9, 10e9, Active::inner_only},
    {"mixtral-8x22b", 140'630'071'296, 39'161'468'928, 38'960'142'336, 141e9, 39e9},
    {"mixtral-8x7b", 46'702'792'704, 12'879'925'248, 12'748'853'248, 46.7e9, 12.9e9},
    {"olmoe-1b-7b", 6'919'161'856, 1'282'017'280, 1'178'994'688, 6.92e9, 1.3e9},
    {"phi-3.5-moe", 41'873'153'344, 6'640'999'744, 6'509'665'600, 41.9e9, 6.6e9},
    {"qwen1.5-moe-a2.7b", 14'315'784'192, 2'689'173'504, 2'378'008'576, 14.3e9, 2.7e9},
    {"qwen2-57b-a14b", 57'408'658'944, 14'249'270'784, 13'704'732'160, 57.4e9, 14e9},
    {"qwen3-235b-a22b", 235'093'634'560, 22'190'763'520, 21'568'433'664, 235e9, 22e9},
    {"qwen3-30b-a3b", 30'532'122'624, 3'353'032'704, 3'041'867'776, 30.5e9, 3.3e9},
    {"qwen3-32b", 32'762'123'264, 32'762'123'264, 31'984'210'944, 32.8e9, 32.8e9},
    {"qwen3-8b", 8'190'735'360, 8'190'735'360, 7'568'405'504, 8.2e9, 8.2e9},
};

std::int64_t active_of(const ParameterCount& count, Active what) {
  switch (what) {
    case Active::whole:
      return count.active();
    case Active::no_embedding:
      return count.active_without_input_embedding();
    case Active::inner_only:
      return count.active() - count.embedding - count.output_head;
  }
  return 0;
}

bool within(double value, double wanted, double tolerance) {
  return std::abs(value / wanted - 1) <= tolerance;
}

}  // namespace

TEST_SUITE("validation") {
  TEST_CASE("every built-in model counts its published parameters") {
    CHECK(std::size(counts) == builtin_models().size());
    CHECK(std::ranges::count_if(counts, [](auto& row) { return moe_of(model(row.name)) != nullptr; }) >= 20);
    CHECK(std::ranges::count_if(counts, [](auto& row) { return moe_of(model(row.name)) == nullptr; }) >= 8);
    for (const PublishedCount& row : counts) {
      CAPTURE(row.name);
      const ParameterCount count = count_parameters(model(row.name));
      CHECK(count.total() == row.total);
      CHECK(count.active() == row.active);
      CHECK(count.active_without_input_embedding() == row.active_without_embedding);
      CHECK(within(as_double(count.total()), row.published_total, row.total_rounding));
      CHECK(within(as_double(active_of(count, row.counts)), row.published_active, row.active_rounding));
    }
  }
}
