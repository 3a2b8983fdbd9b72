// Parameter counts against published numbers.
#include <doctest/doctest.h>

#include <cmath>

#include "input/builtin.h"
#include "model/parameters.h"
#include "validation/loaded.h"

using namespace bta;
using validation::model;

namespace {

struct PublishedCount {
  const char* name;
  std::int64_t total, active, active_without_embedding;
  double published_total, published_active;  // as the publisher rounds them
};
// Totals: the hub's weight files or the model cards. 0: no figure published.
const PublishedCount counts[] = {
    {"qwen3-30b-a3b", 30'532'122'624, 3'353'032'704, 3'041'867'776, 30.5e9, 3.3e9},
    {"qwen3-235b-a22b", 235'093'634'560, 22'190'763'520, 21'568'433'664, 235e9, 22e9},
    {"mixtral-8x7b", 46'702'792'704, 12'879'925'248, 12'748'853'248, 46.7e9, 12.9e9},
    {"olmoe-1b-7b", 6'919'161'856, 1'282'017'280, 1'178'994'688, 6.92e9, 1.3e9},
    {"qwen3-8b", 8'190'735'360, 8'190'735'360, 7'568'405'504, 8.2e9, 8.2e9},
    {"llama-2-7b", 6'738'415'616, 6'738'415'616, 6'607'343'616, 6.7e9, 6.7e9},
};

bool within(double value, double wanted, double tolerance) {
  return std::abs(value / wanted - 1) <= tolerance;
}

}  // namespace

TEST_SUITE("validation") {
  TEST_CASE("every built-in model counts its published parameters") {
    CHECK(std::size(counts) == builtin_models().size());
    for (const PublishedCount& row : counts) {
      CAPTURE(row.name);
      const ParameterCount count = count_parameters(model(row.name));
      CHECK(count.total() == row.total);
      CHECK(count.active() == row.active);
      CHECK(count.active_without_input_embedding() == row.active_without_embedding);
      CHECK(within(as_double(count.total()), row.published_total, 0.01));
      CHECK(within(as_double(count.active()), row.published_active, 0.02));
    }
  }

  TEST_CASE(
      "a Hugging Face config.json of each supported family counts its published parameters, read as it is") {
    const PublishedCount files[] = {
        {"qwen3-30b-a3b", 30'532'122'624, 3'353'032'704, 3'041'867'776, 30.5e9, 3.3e9},
        {"qwen3-235b-a22b", 235'093'634'560, 22'190'763'520, 21'568'433'664, 235e9, 22e9},
        {"qwen1.5-moe-a2.7b", 14'315'784'192, 2'689'173'504, 2'378'008'576, 14.3e9, 2.7e9},
        {"mixtral-8x7b", 46'702'792'704, 12'879'925'248, 12'748'853'248, 46.7e9, 12.9e9},
        {"olmoe-1b-7b", 6'919'161'856, 1'282'017'280, 1'178'994'688, 6.92e9, 1.3e9},
        {"llama-2-7b", 6'738'415'616, 6'738'415'616, 6'607'343'616, 6.7e9, 6.7e9},
        {"qwen3-8b", 8'190'735'360, 8'190'735'360, 7'568'405'504, 8.2e9, 8.2e9},
        {"qwen3-4b", 4'022'468'096, 4'022'468'096, 4'022'468'096, 4.0e9, 4.0e9},
    };
    for (const PublishedCount& row : files) {
      CAPTURE(row.name);
      const Model read = model(std::string(BTA_TEST_DATA) + "/models/" + row.name + "/config.json");
      CHECK(read.name == row.name);
      const ParameterCount count = count_parameters(read);
      CHECK(count.total() == row.total);
      CHECK(count.active() == row.active);
      CHECK(count.active_without_input_embedding() == row.active_without_embedding);
    }
  }

  TEST_CASE("a built-in and the config.json it was taken from are the same layers") {
    for (const Builtin& builtin : builtin_models()) {
      const std::string name(builtin.name);
      const Model read = model(std::string(BTA_TEST_DATA) + "/models/" + name + "/config.json"),
                  own = model(name);
      CHECK(read.layers == own.layers);
      CHECK(read.hidden == own.hidden);
      CHECK(read.vocabulary == own.vocabulary);
    }
  }
}
