#include "input/model_writer.h"

#include "base/random.h"
#include "input/builtin.h"
#include "unit/input/input_support.h"

namespace {

using namespace bta;
using namespace bta::test;

std::string written(const Model& model, const Provenance& standing = {}) {
  const Result<std::string> text = write_model_yaml(model, standing);
  REQUIRE_MESSAGE(text.has_value(), problems(text));
  return text.value();
}

/// What is written reads as the model it came from.
void check_survives(const Model& model) {
  const std::string text = written(model);
  CAPTURE(text);
  const Model read = good(model_from_yaml(text));
  CHECK(read.name == model.name);
  CHECK(read.hidden == model.hidden);
  CHECK(read.vocabulary == model.vocabulary);
  CHECK(read.tied_embeddings == model.tied_embeddings);
  CHECK(read.positions == model.positions);
  CHECK(read.norm_bias == model.norm_bias);
  CHECK(read.head_bias == model.head_bias);
  CHECK(read.layers == model.layers);
  CHECK(read.beside == model.beside);
  CHECK(read.notes == model.notes);
  CHECK(written(read) == text);
}

/// Any model that the keys can say.
class RandomModel {
 public:
  explicit RandomModel(std::uint64_t seed) : random_(seed) {}

  Model model() {
    Model model{.name = "random model",
                .hidden = between(1, 500),
                .vocabulary = between(1, 500),
                .tied_embeddings = one_in(2),
                .positions = one_in(3) ? between(1, 99) : 0,
                .norm_bias = one_in(3),
                .head_bias = one_in(3)};
    model.layers.assign(static_cast<std::size_t>(between(1, 9)), {attention(), {}, model.norm_bias});
    const bool parallel = one_in(3), post_norms = one_in(3);
    const bool gated = one_in(2), no_dense = one_in(2), no_moe = one_in(4);
    const FeedForward dense = DenseMlp{between(1, 99), gated, one_in(2)}, moe = moe_mlp(gated);
    for (Layer& layer : model.layers) {
      layer.parallel = parallel;
      layer.post_norms = post_norms;
      layer.feed_forward = no_moe || (!no_dense && one_in(2)) ? dense : moe;
    }
    vary_attention(model);
    if (one_in(4)) model.beside.push_back({"MTP", between(1, 999)});
    if (one_in(4)) model.beside.push_back({"vision", between(1, 999)});
    if (one_in(4)) model.notes = {"a note: with 'quotes'", "null"};
    return model;
  }

 private:
  Attention attention() {
    const std::int64_t kv = between(1, 4), size = between(1, 64);
    if (one_in(3))
      return LatentAttention{
          kv,       one_in(2) ? 0 : between(1, 99), between(1, 99), size, between(0, 32), between(1, 64),
          one_in(2)};
    GroupedQueryAttention a{.heads = kv * between(1, 4),
                            .kv_heads = kv,
                            .qk_head_dim = size,
                            .v_head_dim = one_in(2) ? size : between(1, 64),
                            .window = std::nullopt};
    a.qk_norm = static_cast<QkNorm>(between(0, 3));
    a.qkv_bias = one_in(3);
    a.output_bias = one_in(3);
    a.sinks = one_in(3);
    if (one_in(3)) a.rotary_dim = between(0, size - 1);
    return a;
  }

  MoeMlp moe_mlp(bool gated) {
    const std::int64_t experts = between(1, 99);
    MoeMlp moe{experts, between(1, experts), between(1, 99), gated};
    if (one_in(2)) moe.shared_width = between(1, 99);
    moe.shared_gate = moe.shared_width > 0 && one_in(2);
    moe.router_bias = one_in(3);
    moe.selection_bias = one_in(3);
    moe.expert_bias = one_in(3);
    return moe;
  }

  /// Windows, chunks and layers without rotary embedding.
  void vary_attention(Model& model) {
    const Window sliding{between(1, 99)}, chunk{between(1, 99), true};
    const bool slides = one_in(2), chunks = one_in(3), nope = one_in(3), all = one_in(4);
    for (Layer& layer : model.layers) {
      auto* const a = std::get_if<GroupedQueryAttention>(&layer.attention);
      if (a == nullptr) return;
      if (slides && (all || one_in(2))) a->window = sliding;
      if (chunks && !a->window && one_in(2)) a->window = chunk;
      if (nope && one_in(3)) {
        a->rotary_dim = 0;
        a->qk_norm = QkNorm::none;
      }
    }
  }

  std::int64_t between(std::int64_t low, std::int64_t high) { return random_.between(low, high); }
  bool one_in(std::int64_t n) { return random_.one_in(n); }

  Random random_;
};

Model tiny() {
  return good(model_from_yaml(tiny_model));
}

std::string why_not(const Model& model) {
  const Result<std::string> text = write_model_yaml(model, {});
  REQUIRE_FALSE(text.has_value());
  return problems(text);
}

GroupedQueryAttention& attention_in(Model& model, std::size_t layer) {
  return std::get<GroupedQueryAttention>(model.layers.at(layer).attention);
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("a model is written in the order in which it is read, without what is usual") {
  Model model = tiny();
  model.name = "Tiny-MoE";
  CHECK(written(model, {"datasheet", "config.json of someone/Tiny-MoE"}) ==
        "# 137,024 parameters, of which a token uses 63,296\n"
        "name: Tiny-MoE\n"
        "kind: datasheet\n"
        "source: config.json of someone/Tiny-MoE\n" +
            tiny_model);
}

TEST_CASE("every built-in model is written so that it reads as itself, with the same hash") {
  for (const Builtin& builtin : builtin_models()) {
    CAPTURE(builtin.name);
    const Model model = load_model(std::string(builtin.name), {}).value();
    check_survives(model);
    CHECK(good(model_from_yaml(written(model))).content_hash == model.content_hash);
  }
}

TEST_CASE("random models of every kind are written so that they read as themselves") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    CAPTURE(seed);
    check_survives(RandomModel(seed).model());
  }
}

TEST_CASE("names and notes that YAML would take for something else are quoted") {
  Model model = tiny();
  for (const std::string text : {"a: b # c",
                                 "\"quoted\" 'twice'",
                                 "- item",
                                 "{flow}, [list]",
                                 "back\\slash",
                                 " spaces ",
                                 "*anchor",
                                 "&x",
                                 "%",
                                 "@",
                                 "null",
                                 "Null",
                                 "NULL",
                                 "true",
                                 "False",
                                 "12",
                                 "1e3",
                                 "~",
                                 "?",
                                 ":",
                                 "!tag",
                                 "0x1F",
                                 "---",
                                 "a #b",
                                 "\xC3\xA9t\xC3\xA9 \xE2\x80\x94 \xE6\x97\xA5",
                                 "trailing space "}) {
    CAPTURE(text);
    model.name = text;
    model.notes = {text, "and another"};
    check_survives(model);
  }
}

TEST_CASE("layers that vary in a way the keys cannot say are named") {
  const std::string start = "m: error: cannot be written as this project's YAML: ";
  const std::string end = ", which can be said only of all layers alike\n";
  Model model = tiny();
  attention_in(model, 1).kv_heads = 4;
  CHECK(why_not(model) == start + "layers 0 and 1 differ in num_kv_heads" + end);
  model = tiny();
  attention_in(model, 1).rotary_dim = 8;
  CHECK(why_not(model) == start + "layers 0 and 1 differ in rotary_dim" + end);
  model = tiny();
  attention_in(model, 0).window = Window{8};
  attention_in(model, 1).window = Window{16};
  CHECK(why_not(model) == start + "layers 0 and 1 differ in sliding_window" + end);
  model = tiny();
  model.layers[1].attention = LatentAttention{4, 8, 24, 16, 8, 12};
  CHECK(why_not(model) == start + "layers 0 and 1 differ in num_kv_heads" + end);
  model = tiny();
  std::get<MoeMlp>(model.layers[1].feed_forward).top_k = 1;
  CHECK(why_not(model) == start + "layers 0 and 1 differ in top_k" + end);
  model = tiny();
  model.layers[1].feed_forward = DenseMlp{96, false};
  CHECK(why_not(model) == start + "layers 0 and 1 differ in gated" + end);
  model = tiny();
  model.layers[1].parallel = true;
  CHECK(why_not(model) == start + "layers 0 and 1 differ in parallel_block" + end);
}

TEST_CASE("what else the keys cannot say is named") {
  const std::string start = "m: error: cannot be written as this project's YAML: ";
  Model model = tiny();
  model.norm_bias = true;
  CHECK(why_not(model) == start +
                              "the norms of its layers and its last norm differ in norm_bias, which can be "
                              "said only of all alike\n");
  model = tiny();
  model.beside = {{"audio", 5}};
  CHECK(why_not(model) ==
        start + "it has a part beside the language model called 'audio'; only MTP and vision have keys\n");
  model = tiny();
  model.layers.clear();
  CHECK(why_not(model) == start + "it has no layers\n");
}

TEST_CASE("a name that is no line of text is refused, not changed") {
  Model model = tiny();
  model.name = "two\nlines";
  CHECK(why_not(model) ==
        "the YAML of two?lines:2:7: error: name: 'two?lines' is not one line of 1 to 1000 bytes of text\n");
  model.name = "\xFF byte";
  CHECK(why_not(model).ends_with(
      ": error: the name or a note is no valid text; --set model.name=NAME gives another name\n"));
}

TEST_SUITE_END();

}  // namespace
