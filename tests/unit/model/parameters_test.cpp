#include "model/parameters.h"

#include <doctest/doctest.h>

#include "cost/operators.h"
#include "cost/problem.h"
#include "support/fixtures.h"

using namespace bta;

TEST_SUITE("unit") {
  TEST_CASE("T1 counts to the last parameter, part by part") {
    const ParameterCount count = count_parameters(fixtures::t1());
    CHECK(count.attention == 2 * 12288);
    CHECK(count.routed_experts == 2 * 49152);
    CHECK(count.routed_experts_active == 2 * 2 * 6144);
    CHECK(count.router == 2 * 512);
    CHECK(count.norms == 2 * 128 + 64);
    CHECK(count.embedding == 6400);
    CHECK(count.output_head == 6400);
    CHECK(count.total() == 137024);
    CHECK(count.active() == 63296);
    CHECK(count.active_without_input_embedding() == 63296 - 6400);
  }

  TEST_CASE("Qwen3-30B-A3B and Mixtral-8x7B shapes give their published totals") {
    const ParameterCount qwen = count_parameters(fixtures::qwen3_30b_a3b());
    CHECK(qwen.attention == 48 * (18'874'368 + 256));
    CHECK(qwen.router == 48 * 262'144);
    CHECK(qwen.total() == 30'532'122'624);
    CHECK(qwen.active() == 3'353'032'704);
    CHECK(qwen.active_without_input_embedding() == 3'041'867'776);
    const ParameterCount mixtral = count_parameters(fixtures::mixtral());
    CHECK(mixtral.total() == 46'702'792'704);
    CHECK(mixtral.active() == 12'879'925'248);
  }

  TEST_CASE("DeepSeek-V3, GPT-OSS-120B, GPT-2 and GPT-J shapes give their published totals") {
    const ParameterCount v3 = count_parameters(fixtures::deepseek_v3());
    CHECK(v3.total() == 671'026'419'200);
    CHECK(v3.active() == 37'552'297'472);
    CHECK(v3.active_without_input_embedding() == 36'625'618'432);
    CHECK(v3.attention == std::int64_t{61} * (187'105'280 + 1536 + 512));
    const ParameterCount oss = count_parameters(fixtures::gpt_oss_120b());
    CHECK(oss.total() == 116'829'156'672);
    CHECK(oss.active() == 5'711'982'912);
    CHECK(oss.active_without_input_embedding() == 5'132'849'472);
    const ParameterCount gpt2 = count_parameters(fixtures::gpt2());
    CHECK(gpt2.total() == 124'439'808);
    CHECK(gpt2.positions == 1024 * 768);
    const ParameterCount gpt_j = count_parameters(fixtures::gpt_j());
    CHECK(gpt_j.total() == 6'050'882'784);
    CHECK(gpt_j.active_without_input_embedding() == 5'844'444'384);
  }

  TEST_CASE("sums over layers that exceed 64 bits are refused, whatever part they are of") {
    Model model = fixtures::t1();
    model.hidden = std::int64_t{1} << 20;
    const auto check_refused = [&model] {
      CHECK_THROWS_WITH_AS(count_parameters(model), "the model is too large to count exactly in 64 bits",
                           ModelTooLarge);
    };
    const Layer usual = model.layers.front();
    LatentAttention latent{.heads = 4096, .q_rank = 1 << 22, .kv_rank = 1 << 22};
    latent.nope_head_dim = latent.rope_head_dim = latent.v_head_dim = 1 << 16;
    Layer layer = usual;
    layer.attention = latent;
    model.layers.assign(4096, layer);
    check_refused();
    layer = usual;
    layer.feed_forward = DenseMlp{.width = std::int64_t{1} << 41};
    model.layers.assign(2, layer);
    check_refused();
    layer.feed_forward = MoeMlp{.experts = 1, .top_k = 1, .width = 1, .shared_width = std::int64_t{1} << 41};
    model.layers.assign(2, layer);
    check_refused();
    layer.feed_forward = MoeMlp{.experts = std::int64_t{1} << 42, .top_k = 1, .width = 1};
    model.layers.assign(2, layer);
    check_refused();
  }

  TEST_CASE("norms after attention and MLP add two gains a layer, parts apart add to no total") {
    Model model = fixtures::t1();
    const std::int64_t total = count_parameters(model).total();
    for (Layer& layer : model.layers) layer.post_norms = true;
    model.beside = {{"MTP", 1000}, {"vision", 7}};
    const ParameterCount count = count_parameters(model);
    CHECK(count.total() == total + 2 * 2 * 64);
    CHECK(count.beside == model.beside);
  }

  TEST_CASE("tying the embedding removes exactly V*d and leaves the table active") {
    Model model = fixtures::qwen3_4b();
    const ParameterCount tied = count_parameters(model);
    CHECK(tied.total() == 4'022'468'096);
    CHECK(tied.active_without_input_embedding() == tied.total());
    model.tied_embeddings = false;
    CHECK(count_parameters(model).total() - tied.total() == 388'956'160);
  }

  TEST_CASE("head size is its own number, not hidden size over heads") {
    Model model = fixtures::qwen3_4b();
    CHECK(count_parameters(model).attention == 36 * (26'214'400 + 2 * 128));
    auto& attention = std::get<GroupedQueryAttention>(model.layers[0].attention);
    attention.qk_head_dim = attention.v_head_dim = 80;
    model.layers.assign(36, model.layers[0]);
    CHECK(count_parameters(model).total() ==
          3'668'570'240 - 36 * 2 * 128 + 36 * 2 * 80 + 36 * 2 * (128 - 80));
  }

  TEST_CASE("key and value heads shrink their projections: 40,960 and not 49,152") {
    Model model = fixtures::t1();
    model.hidden = 128;
    model.layers = {{GroupedQueryAttention{.heads = 8, .kv_heads = 2, .qk_head_dim = 16, .v_head_dim = 16},
                     DenseMlp{.width = 1}}};
    CHECK(count_parameters(model).attention == 40960);
  }

  TEST_CASE("a gated MLP has three matrices: Llama-2-7B is 6,738,415,616 and not 5,295,575,040") {
    Model model;
    model.hidden = 4096;
    model.vocabulary = 32000;
    const GroupedQueryAttention attention{.heads = 32, .kv_heads = 32, .qk_head_dim = 128, .v_head_dim = 128};
    model.layers.assign(32, {attention, DenseMlp{.width = 11008}});
    CHECK(count_parameters(model).total() == 6'738'415'616);
    model.layers.assign(32, {attention, DenseMlp{.width = 11008, .gated = false}});
    CHECK(count_parameters(model).total() == 5'295'575'040);
  }

  TEST_CASE("biases, shared expert and its gate are counted") {
    Model model = fixtures::t1();
    GroupedQueryAttention attention{.heads = 4, .kv_heads = 2, .qk_head_dim = 16, .v_head_dim = 16};
    attention.qkv_bias = attention.output_bias = true;
    attention.qk_norm = QkNorm::projection;
    model.layers = {
        {attention, MoeMlp{.experts = 8, .top_k = 2, .width = 32, .shared_width = 48, .shared_gate = true}},
        {attention, DenseMlp{.width = 10, .gated = true, .bias = true}}};
    const ParameterCount count = count_parameters(model);
    CHECK(count.attention == 2 * (12288 + (64 + 32 + 32) + 64 + (64 + 32)));
    CHECK(count.shared_experts == 3 * 64 * 48 + 64);
    CHECK(count.dense_mlp == 3 * 64 * 10 + 2 * 10 + 64);
  }

  TEST_CASE("the operator list carries every parameter but the input embedding's and the positions'") {
    Model every_part = fixtures::t1();
    GroupedQueryAttention attention{.heads = 4, .kv_heads = 2, .qk_head_dim = 16, .v_head_dim = 8};
    attention.qk_norm = QkNorm::projection;
    attention.qkv_bias = attention.output_bias = true;
    every_part.layers = {{attention, DenseMlp{.width = 10, .gated = false, .bias = true}},
                         {attention, MoeMlp{.experts = 8,
                                            .top_k = 2,
                                            .width = 32,
                                            .gated = false,
                                            .shared_width = 48,
                                            .shared_gate = true}}};
    for (const Model& model :
         {fixtures::t1(), fixtures::qwen3_30b_a3b(), fixtures::mixtral(), every_part, fixtures::deepseek_v3(),
          fixtures::gpt_oss_120b(), fixtures::gpt2(), fixtures::gpt_j()}) {
      std::int64_t streamed = 0;
      for (const Layer& layer : model.layers) {
        const auto operators = layer_operators(layer, model.hidden);
        for (const Operator& op : operators)
          streamed +=
              op.parameters * (op.stage == Stage::expert ? std::get<MoeMlp>(layer.feed_forward).experts : 1);
      }
      for (const Operator& op : head_operators(model)) streamed += op.parameters;
      const ParameterCount count = count_parameters(model);
      const std::int64_t looked_up = count.positions + (model.tied_embeddings ? 0 : count.embedding);
      CHECK(streamed == count.total() - looked_up);
    }
  }

  TEST_CASE("a count beyond 64 bits is refused, never wrapped") {
    Model model = fixtures::t1();
    model.vocabulary = std::int64_t{1} << 62;
    CHECK_THROWS_AS(count_parameters(model), std::overflow_error);
  }

  TEST_CASE("training state is parameters times the caller's bytes") {
    CHECK(training_state_bytes(30'532'122'624, 16) == 488'513'961'984);
    CHECK(training_state_bytes(30'532'122'624, 18) == 549'578'207'232);
    CHECK(training_state_bytes(30'532'122'624, 20) == 610'642'452'480);
  }
}
