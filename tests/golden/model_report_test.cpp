// Do the numbers and the words of `show` mean what the cost model means?
#include "report/model_report.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cost/operators.h"
#include "golden/sample_records.h"
#include "input/builtin.h"
#include "input/load.h"
#include "report/model_layers.h"
#include "report/positions.h"

using namespace bta;

namespace {

/// Parameters of all operators of one pass, every expert's once.
std::int64_t streamed_by_operators(const Model& model) {
  std::int64_t sum = 0;
  for (const Layer& layer : model.layers) {
    const auto* moe = std::get_if<MoeMlp>(&layer.feed_forward);
    for (const Operator& op : layer_operators(layer, model.hidden))
      sum += op.parameters * (op.stage == Stage::expert && moe != nullptr ? moe->experts : 1);
  }
  for (const Operator& op : head_operators(model)) sum += op.parameters;
  return sum;
}

nlohmann::json shown(const Model& model) {
  return nlohmann::json::parse(write_model({model, 3, {}}, Format::json));
}

void check_streamed(const Model& model) {
  CAPTURE(model.name);
  std::int64_t sum = 0, total = -1;
  const nlohmann::json document = shown(model);
  for (const auto& part : document.at("parts")) {
    if (part.at("streamed_weight_bytes").is_null()) continue;
    const auto bytes = part.at("streamed_weight_bytes").get<std::int64_t>();
    if (part.at("part") == "total")
      total = bytes;
    else
      sum += bytes;
  }
  CHECK(total == 3 * streamed_by_operators(model));
  CHECK(total == sum);
}

Model loaded(const std::string& name) {
  const Result<Model> model = load_model(name, {});
  REQUIRE(model.has_value());
  return model.value();
}

const std::vector<std::string> test_models = {"deepseek-v3", "gpt-oss-120b", "gpt2", "llama-4-scout"};

}  // namespace

TEST_SUITE("golden") {
  TEST_CASE("streamed bytes are those of the operators, whatever the model is made of") {
    for (const Builtin& builtin : builtin_models()) check_streamed(loaded(std::string(builtin.name)));
    Model model = golden::sample_model();
    for (const bool tied : {false, true})
      for (const bool parallel : {false, true})
        for (const bool post_norms : {false, true})
          for (const bool norm_bias : {false, true}) {
            model.tied_embeddings = tied;
            model.positions = tied ? 50 : 0;
            model.head_bias = model.norm_bias = norm_bias;
            for (Layer& layer : model.layers) {
              layer.parallel = parallel;
              layer.post_norms = post_norms;
              layer.norm_bias = norm_bias;
            }
            check_streamed(model);
          }
  }

  TEST_CASE("kinds of layer stand in JSON with every key, and with the positions of their layers") {
    for (const std::string& name : test_models) {
      const Model model = loaded(name);
      const nlohmann::json kinds = shown(model).at("layer_kinds");
      std::size_t layers = 0;
      for (const auto& kind : kinds) {
        CHECK(kind.size() == kinds.at(0).size());
        CHECK(kind.at("positions").size() == kind.at("layers"));
        layers += kind.at("positions").size();
      }
      CHECK(layers == model.layers.size());
    }
  }

  TEST_CASE("positions are told in few words") {
    const auto all_but = [](std::int64_t first, std::int64_t step) {
      std::vector<std::int64_t> positions;
      for (std::int64_t i = 0; i < 48; ++i)
        if (i % step != first) positions.push_back(i);
      return positions;
    };
    CHECK(positions_text({0, 1, 2}, 3) == "all");
    CHECK(positions_text({0, 1, 2}, 61) == "0-2");
    CHECK(positions_text({0}, 2) == "0");
    CHECK(positions_text({1, 2, 5}, 9) == "1-2, 5");
    CHECK(positions_text({0, 2, 4, 6}, 8) == "0, 2 .. 6");
    CHECK(positions_text({3, 7, 11}, 12) == "3, 7 .. 11");
    CHECK(positions_text(all_but(3, 4), 48) == "all but 3, 7 .. 47");
    CHECK(positions_text({0, 1, 3, 6, 10, 15, 21}, 22) == "0-1, 3, 6 .. 21");
  }

  TEST_CASE("attention is named by its heads of keys and values") {
    CHECK(attention_name(GroupedQueryAttention{8, 8, 64, 64}) == "MHA");
    CHECK(attention_name(GroupedQueryAttention{8, 2, 64, 64}) == "GQA");
    CHECK(attention_name(GroupedQueryAttention{8, 1, 64, 64}) == "MQA");
    CHECK(attention_name(LatentAttention{8, 0, 16, 8, 8, 8}) == "MLA");
  }

  TEST_CASE("a model of any kind is shown within 100 columns") {
    for (const std::string& name : test_models) {
      const std::string page = write_model({loaded(name), 2, StateBytes{}}, Format::table);
      std::size_t longest = 0;
      for (std::size_t at = 0; at < page.size();) {
        const std::size_t end = page.find('\n', at);
        longest = std::max(longest, end - at);
        at = end + 1;
      }
      CHECK(longest <= 100);
    }
  }
}
