#include "cost/flops.h"

#include <doctest/doctest.h>

#include "support/approx.h"
#include "support/fixtures.h"

using namespace bta;

namespace {

Problem problem(const Model& model, std::int64_t seq_len, Mask mask, Checkpoint checkpoint = Checkpoint::XY) {
  Workload workload;
  workload.seq_len = seq_len;
  workload.mask = mask;
  workload.checkpoint = checkpoint;
  return make_problem(model, fixtures::cs2(), workload);
}

std::int64_t forward_per_token(const Model& model, std::int64_t seq_len, Mask mask) {
  const std::int64_t flops = count_flops(problem(model, seq_len, mask), 1).model_forward.value;
  CHECK(flops % seq_len == 0);
  return flops / seq_len;
}

/// FLOPs of the matmuls with weights, one token, one forward pass.
std::int64_t matmul_per_token(const Model& model) {
  const Problem p = problem(model, 1, Mask::full);
  Flops flops;
  for (const ProblemLayer& layer : p.layers)
    for (const Operator& op : layer.operators)
      if (flop_class(op) == FlopClass::gemm) flops += layer.count * forward_flops(p, &layer, op, 1);
  for (const Operator& op : p.head)
    if (flop_class(op) == FlopClass::gemm) flops += forward_flops(p, nullptr, op, 1);
  return flops.value;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("T1 at S=128: full, half and exact causal forward FLOPs per token") {
    CHECK(matmul_per_token(fixtures::t1()) == 113152);
    CHECK(forward_per_token(fixtures::t1(), 128, Mask::full) == 178688);
    CHECK(forward_per_token(fixtures::t1(), 128, Mask::half) == 145920);
    CHECK(forward_per_token(fixtures::t1(), 128, Mask::causal) == 146176);
  }

  TEST_CASE("training is three forward passes: 536,064, 437,760 and 438,528 per token of T1") {
    CHECK(count_flops(problem(fixtures::t1(), 128, Mask::full), 1).model_training.value == 128 * 536064);
    CHECK(count_flops(problem(fixtures::t1(), 128, Mask::half), 1).model_training.value == 128 * 437760);
    CHECK(count_flops(problem(fixtures::t1(), 128, Mask::causal), 1).model_training.value == 128 * 438528);
  }

  TEST_CASE("Qwen3-30B-A3B at S=4096 to the last FLOP") {
    const Model model = fixtures::qwen3_30b_a3b();
    CHECK(matmul_per_token(model) == 6'083'313'664);
    CHECK(forward_per_token(model, 4096, Mask::full) == 9'304'539'136);
    CHECK(count_flops(problem(model, 4096, Mask::full), 1).model_training.value == 4096 * 27'913'617'408);
    CHECK(count_flops(problem(model, 4096, Mask::causal), 1).model_training.value == 4096 * 23'082'958'848);
  }

  TEST_CASE("a token pays for its active experts, not for all of them") {
    CHECK(matmul_per_token(fixtures::mixtral()) == 25'497'174'016);
    CHECK(matmul_per_token(with_experts(fixtures::mixtral(), 8, 8, 14336)) == 93'142'908'928);
    CHECK(matmul_per_token(with_experts(fixtures::qwen3_30b_a3b(), 128, 128, 768)) == 60'441'493'504);
  }

  TEST_CASE("tying the embedding changes no FLOP") {
    Model model = fixtures::qwen3_4b();
    CHECK(matmul_per_token(model) == 8'044'544'000);
    model.tied_embeddings = false;
    CHECK(matmul_per_token(model) == 8'044'544'000);
  }

  TEST_CASE("hardware FLOPs: attention and experts 4x forward with XY, attention 5x with X, head 3x") {
    const Problem xy = problem(fixtures::t1(), 128, Mask::full);
    const std::int64_t head = std::int64_t{2} * 128 * 64 * 100;
    const std::int64_t layers = 128 * 178688 - head;
    CHECK(count_flops(xy, 1).hardware.value == 4 * layers + 3 * head);
    const std::int64_t attention = 128 * (2 * 12288 * 2 + 65536);  // projections, scores and context
    const Problem x = problem(fixtures::t1(), 128, Mask::full, Checkpoint::X);
    CHECK(count_flops(x, 1).hardware.value == 4 * layers + attention + 3 * head);
    const Problem wafer = problem(fixtures::t1(), 128, Mask::full, Checkpoint::wafer);
    CHECK(count_flops(wafer, 1).hardware == count_flops(xy, 1).hardware);
  }

  TEST_CASE("vector work is a class of its own at the stated count per element") {
    // T1, one sequence of 128 tokens, forward: 2 layers of norms 2*64*4, rotary 96*3, softmax 4*128*5,
    // top-k softmax 8*5, activation 2*32*5, combine 2*64*2; final norm 64*4 and cross-entropy 100*5.
    // The norm again for each of a token's 2 experts: once forward, once recomputed, no gradient; and once
    // more for the router's gradient.
    const std::int64_t layer = 2 * 64 * 4 + 96 * 3 + 4 * 128 * 5 + 8 * 5 + 2 * 32 * 5 + 2 * 64 * 2;
    const std::int64_t again = 2 * 64 * 4;
    const std::int64_t head = 64 * 4 + 100 * 5;
    CHECK(count_flops(problem(fixtures::t1(), 128, Mask::full), 1).vector.value ==
          128 * (2 * (layer * 4 + again * 2 + 64 * 4 - 2 * 64 * 2) + head * 3));
  }

  TEST_CASE("a norm that is run again counts when it runs and never for a gradient") {
    Model model = fixtures::t1();
    model.layers.assign(
        1, {model.layers[0].attention, MoeMlp{.experts = 8, .top_k = 2, .width = 32, .shared_width = 48}});
    const Problem p = problem(model, 128, Mask::full);
    std::int64_t again = 0;
    for (const Operator& op : p.layers[0].operators) {
      const Flops forward = forward_flops(p, &p.layers[0], op, 1);
      CHECK(executed_flops(op, forward, {.forward = 1, .gradients = true}) ==
            ((op.differentiated ? 2 : 0) + op.replays) * forward);
      CHECK(op.replays == (op.name == "mlp_norm" ? 2 : op.name == "expert_combine" ? 0 : 1));
      if (!op.differentiated) again += forward.value;
    }
    CHECK(again == (2 + 1) * 128 * 64 * 4);  // 2 experts and the shared one of 128 tokens
  }

  TEST_CASE("a window counts in scores, context and softmax of a causal mask, in nothing else") {
    Model model = fixtures::t1();
    for (Layer& layer : model.layers) std::get<GroupedQueryAttention>(layer.attention).window = Window{10};
    const std::int64_t pairs = 10 * 11 / 2 + 118 * 10, all = 128 * 129 / 2;
    const FlopCount with = count_flops(problem(model, 128, Mask::causal), 1);
    const FlopCount without = count_flops(problem(fixtures::t1(), 128, Mask::causal), 1);
    CHECK(without.model_forward.value - with.model_forward.value == 2 * (all - pairs) * 2 * 4 * (16 + 16));
    CHECK(without.vector.value - with.vector.value == 4 * 2 * (all - pairs) * 4 * 5);
    CHECK(count_flops(problem(model, 128, Mask::full), 1).hardware ==
          count_flops(problem(fixtures::t1(), 128, Mask::full), 1).hardware);
  }

  TEST_CASE("latent attention: five projections with k and v expanded, scores over nope and rope, by hand") {
    const std::int64_t projections =
        7168 * 1536 + 1536 * 128 * 192 + 7168 * 576 + 512 * 128 * 256 + 128 * 128 * 7168;
    CHECK(projections == 187'105'280);
    const std::int64_t dense = 3 * 7168 * 18432, moe = 7168 * 256 + (8 + 1) * 3 * 7168 * 2048;
    const std::int64_t matmul = 2 * (61 * projections + 3 * dense + 58 * moe + std::int64_t{7168} * 129280);
    const std::int64_t scores = 2 * std::int64_t{61} * 128 * (192 + 128) * 4096;
    CHECK(count_flops(problem(fixtures::deepseek_v3(), 4096, Mask::full), 1).model_forward.value ==
          4096 * (matmul + scores));
    Model direct = fixtures::deepseek_v3();
    for (Layer& layer : direct.layers) std::get<LatentAttention>(layer.attention).q_rank = 0;
    CHECK(matmul_per_token(direct) - matmul_per_token(fixtures::deepseek_v3()) ==
          2 * std::int64_t{61} * (7168 * 128 * 192 - 7168 * 1536 - 1536 * 128 * 192));
  }

  TEST_CASE("alternating windows: half of GPT-OSS's layers count 128 keys, half the triangle") {
    const std::int64_t S = 4096, window = 128 * 129 / 2 + (S - 128) * 128, all = S * (S + 1) / 2;
    const auto scores = [&](Mask mask) {
      const Problem p = problem(fixtures::gpt_oss_120b(), S, mask);
      return count_flops(p, 1).model_forward.value - S * matmul_per_token(fixtures::gpt_oss_120b());
    };
    CHECK(scores(Mask::causal) == 2 * 18 * 64 * (64 + 64) * (window + all));
    CHECK(scores(Mask::full) == 2 * 36 * 64 * (64 + 64) * S * S);
  }

  TEST_CASE("rotary work is that of the rotated columns, a LayerNorm's 7 a value, biases cost no product") {
    const Problem gpt2 = problem(fixtures::gpt2(), 128, Mask::full);
    for (const Operator& op : gpt2.layers[0].operators) {
      CHECK(op.name != "rotary");
      if (op.name == "attention_norm")
        CHECK(forward_flops(gpt2, &gpt2.layers[0], op, 1).value == 128 * 768 * 7);
    }
    const Problem gpt_j = problem(fixtures::gpt_j(), 128, Mask::full);
    for (const Operator& op : gpt_j.layers[0].operators)
      if (op.name == "rotary")
        CHECK(forward_flops(gpt_j, &gpt_j.layers[0], op, 1).value == 128 * 32 * 64 * 3);
    CHECK(matmul_per_token(fixtures::gpt2()) == 2 * (12 * (4 * 768 * 768 + 2 * 768 * 3072) + 768 * 50257));
  }

  TEST_CASE("every FLOP is linear in the number of sequences") {
    const Problem p = problem(fixtures::qwen3_30b_a3b(), 2048, Mask::causal);
    CHECK(count_flops(p, 7).hardware == 7 * count_flops(p, 1).hardware);
  }

  TEST_CASE("utilization counts neither padding nor the sparse peak") {
    const Problem p = problem(fixtures::qwen3_30b_a3b(), 2048, Mask::full);
    const Utilization use = utilization(p, 7.5e15, 2.0);
    CHECK(use.of_published_peak == bta::approx(0.5).epsilon(1e-15));
    CHECK(use.of_grid_peak == bta::approx(7.5e15 / 2 / (994.0 * 750 * 2 * 4 * 1.1e9)).epsilon(1e-15));
  }
}
