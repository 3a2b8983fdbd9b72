#include "input/model_hash.h"

#include <functional>
#include <set>

#include "unit/input/input_support.h"

namespace {

using namespace bta;
using namespace bta::test;

GroupedQueryAttention& attention_in(Model& model) {
  return std::get<GroupedQueryAttention>(model.layers[1].attention);
}
MoeMlp& moe_in(Model& model) {
  return std::get<MoeMlp>(model.layers[1].feed_forward);
}

/// Two layers, in which every field has a value that can change.
Model base() {
  const GroupedQueryAttention attention{.heads = 4, .kv_heads = 2, .qk_head_dim = 16, .v_head_dim = 16};
  const MoeMlp moe{.experts = 8, .top_k = 2, .width = 32, .shared_width = 16};
  Model model{.name = "m", .hidden = 64, .vocabulary = 100};
  model.layers.assign(2, {attention, moe});
  return model;
}

Model with_latent() {
  Model model = base();
  model.layers[1].attention = LatentAttention{4, 8, 24, 16, 8, 12};
  return model;
}

Model with_dense() {
  Model model = base();
  model.layers[1].feed_forward = DenseMlp{96};
  return model;
}

template <class Part, class Change>
Model changed(Model model, Change change) {
  if constexpr (std::is_same_v<Part, LatentAttention>)
    change(std::get<LatentAttention>(model.layers[1].attention));
  else
    change(std::get<Part>(model.layers[1].feed_forward));
  return model;
}

std::vector<Model> models_that_differ() {
  using Change = std::function<void(Model&)>;
  std::vector<Model> models = {base(), with_latent(), with_dense()};
  for (const Change& change :
       std::vector<Change>{[](Model& m) { m.hidden = 65; },
                           [](Model& m) { m.vocabulary = 101; },
                           [](Model& m) { m.tied_embeddings = true; },
                           [](Model& m) { m.positions = 1; },
                           [](Model& m) { m.norm_bias = true; },
                           [](Model& m) { m.head_bias = true; },
                           [](Model& m) { m.layers.pop_back(); },
                           [](Model& m) { m.layers.push_back(m.layers[0]); },
                           [](Model& m) {
                             m.beside = {{"MTP", 1}};
                           },
                           [](Model& m) {
                             m.beside = {{"MTP", 2}};
                           },
                           [](Model& m) {
                             m.beside = {{"vision", 1}};
                           },
                           [](Model& m) { m.layers[1].norm_bias = true; },
                           [](Model& m) { m.layers[0].norm_bias = true; },
                           [](Model& m) { m.layers[1].parallel = true; },
                           [](Model& m) { m.layers[1].post_norms = true; },
                           [](Model& m) { attention_in(m).heads = 6; },
                           [](Model& m) { attention_in(m).kv_heads = 1; },
                           [](Model& m) { attention_in(m).qk_head_dim = 18; },
                           [](Model& m) { attention_in(m).v_head_dim = 18; },
                           [](Model& m) { attention_in(m).qk_norm = QkNorm::per_head; },
                           [](Model& m) { attention_in(m).qk_norm = QkNorm::projection; },
                           [](Model& m) { attention_in(m).qk_norm = QkNorm::unit; },
                           [](Model& m) { attention_in(m).qkv_bias = true; },
                           [](Model& m) { attention_in(m).output_bias = true; },
                           [](Model& m) { attention_in(m).sinks = true; },
                           [](Model& m) { attention_in(m).window = Window{8}; },
                           [](Model& m) { attention_in(m).window = Window{9}; },
                           [](Model& m) {
                             attention_in(m).window = Window{8, true};
                           },
                           [](Model& m) { attention_in(m).rotary_dim = 0; },
                           [](Model& m) { attention_in(m).rotary_dim = 8; },
                           [](Model& m) { moe_in(m).experts = 9; },
                           [](Model& m) { moe_in(m).top_k = 3; },
                           [](Model& m) { moe_in(m).width = 33; },
                           [](Model& m) { moe_in(m).gated = false; },
                           [](Model& m) { moe_in(m).shared_width = 17; },
                           [](Model& m) { moe_in(m).shared_gate = true; },
                           [](Model& m) { moe_in(m).router_bias = true; },
                           [](Model& m) { moe_in(m).selection_bias = true; },
                           [](Model& m) { moe_in(m).expert_bias = true; }}) {
    Model& model = models.emplace_back(base());
    change(model);
  }
  using Latent = LatentAttention;
  models.push_back(changed<Latent>(with_latent(), [](Latent& a) { a.heads = 5; }));
  models.push_back(changed<Latent>(with_latent(), [](Latent& a) { a.q_rank = 0; }));
  models.push_back(changed<Latent>(with_latent(), [](Latent& a) { a.kv_rank = 25; }));
  models.push_back(changed<Latent>(with_latent(), [](Latent& a) { a.nope_head_dim = 17; }));
  models.push_back(changed<Latent>(with_latent(), [](Latent& a) { a.rope_head_dim = 9; }));
  models.push_back(changed<Latent>(with_latent(), [](Latent& a) { a.v_head_dim = 13; }));
  models.push_back(changed<Latent>(with_latent(), [](Latent& a) { a.bias = true; }));
  models.push_back(changed<DenseMlp>(with_dense(), [](DenseMlp& mlp) { mlp.width = 97; }));
  models.push_back(changed<DenseMlp>(with_dense(), [](DenseMlp& mlp) { mlp.gated = false; }));
  models.push_back(changed<DenseMlp>(with_dense(), [](DenseMlp& mlp) { mlp.bias = true; }));
  return models;
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("models that differ in any one value have different hashes") {
  const std::vector<Model> models = models_that_differ();
  std::set<std::string> hashes;
  for (const Model& model : models) hashes.insert(content_hash(model));
  CHECK(hashes.size() == models.size());
}

TEST_CASE("names, notes, and a rotary size that is the whole head do not change the hash of a model") {
  Model model = base();
  model.name = "other";
  model.notes = {"a note"};
  model.content_hash = "old";
  attention_in(model).rotary_dim = 16;
  CHECK(content_hash(model) == content_hash(base()));
}

TEST_CASE("a config.json and the YAML of the same model have one hash") {
  const std::string config = text_of(BTA_TEST_DATA "/models/qwen3-30b-a3b/config.json");
  const std::string hash = load_model("qwen3-30b-a3b", {}).value().content_hash;
  CHECK(good(model_from_json(config)).content_hash == hash);
  CHECK(good(model_from_json(config, {{"num_hidden_layers", "47"}})).content_hash != hash);
}

TEST_CASE(
    "order, comments, sources, derived values and spelled-out defaults do not change the hash of a model") {
  const std::string hash = good(model_from_yaml(tiny_model)).content_hash;
  for (const std::string& same :
       {"# a comment\nsource: me\n" + tiny_model, with(tiny_model, "head_dim: 16\n", ""),
        with(tiny_model, "top_k: 2\n", "") + "top_k: 2.0\n", tiny_model + "rotary_dim: 16\nv_head_dim: 16\n",
        tiny_model + "qk_norm: none\nname: other\nnotes: [hello]\n"})
    CHECK(good(model_from_yaml(same)).content_hash == hash);
}

TEST_SUITE_END();

}  // namespace
