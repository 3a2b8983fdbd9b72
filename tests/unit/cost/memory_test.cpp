#include "cost/memory.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "support/fixtures.h"

using namespace bta;

namespace {

Problem problem(const Model& model, Workload workload = {}) {
  return make_problem(model, fixtures::cs2(), workload);
}

std::vector<PhaseMemory> phases(const Problem& p, Tiling tiling) {
  const std::int64_t sequences = micro_batch(tiling).value;
  return memory_phases(p, {tiling.tile_batch, sequences, expert_capacities(p, sequences)});
}

std::map<std::string, std::int64_t> tensors(const Problem& p, Tiling tiling, MemoryPhase phase) {
  std::map<std::string, std::int64_t> bytes;
  for (const PhaseMemory& memory : phases(p, tiling))
    if (memory.phase == phase)
      for (const Tensor& tensor : memory.tensors) bytes[std::string(tensor.name)] = tensor.bytes.value;
  return bytes;
}

Workload with(Checkpoint checkpoint) {
  Workload workload;
  workload.checkpoint = checkpoint;
  return workload;
}

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("every tensor of attention at B=12, G=8 of Qwen3-30B-A3B, by hand") {
    const Problem p = problem(fixtures::qwen3_30b_a3b(128, 2, 3072));
    auto forward = tensors(p, {12, 8}, MemoryPhase::attention_forward);
    CHECK(forward["X, becoming Y"] == 805'306'368);
    CHECK(forward["two transfer buffers"] == 2 * 100'663'296);
    CHECK(forward["live score tensors"] == 2 * 3'221'225'472);
    CHECK(forward["attention weights"] == 2 * (18'874'368 + 256 + 2048));  // with the norms
    CHECK(forward["normed input"] + forward["q"] + forward["k"] + forward["v"] + forward["context"] ==
          553'648'128);
    auto backward = tensors(p, {12, 8}, MemoryPhase::attention_backward);
    CHECK(backward["live score tensors"] == 3 * 3'221'225'472);
    CHECK(backward["attention weight gradients"] == 4 * (18'874'368 + 256 + 2048));
    CHECK(backward["q gradient"] == backward["q"]);
    // Alive with the scores: all but the gradient of the normed input.
    std::int64_t alive = -backward["normed input gradient"];
    for (const auto& [name, bytes] : backward) alive += bytes;
    CHECK(peak_memory(p, {12, 8}).bytes.value == alive);
    CHECK(peak_memory(p, {12, 8}).phase == MemoryPhase::attention_backward);
  }

  TEST_CASE("every tensor of latent attention at B=1, G=4 of DeepSeek-V3, by hand") {
    const Problem p = problem(fixtures::deepseek_v3());
    const std::int64_t token = 2 * 2048;  // bytes of one value for each token of a tile
    const std::int64_t weights = 187'105'280 + 1536 + 512 + 7168;
    std::map<std::string, std::int64_t> expected = {{"X, becoming Y", 4 * token * 7168},
                                                    {"attention weights", 2 * weights},
                                                    {"two transfer buffers", 2 * token * 7168},
                                                    {"normed input", token * 7168},
                                                    {"q latent", token * 1536},
                                                    {"kv latent", token * 576},
                                                    {"q", token * 128 * 192},
                                                    {"k and v", token * 128 * 256},
                                                    {"context", token * 128 * 128},
                                                    {"live score tensors", 2 * token * 128 * 2048}};
    CHECK(tensors(p, {1, 4}, MemoryPhase::attention_forward) == expected);
    expected.erase("X, becoming Y");
    expected.merge(std::map<std::string, std::int64_t>{{"dY, becoming dX", 4 * token * 7168},
                                                       {"attention weight gradients", 4 * weights},
                                                       {"normed q latent", token * 1536},
                                                       {"normed kv latent", token * 512},
                                                       {"context gradient", token * 128 * 128},
                                                       {"q gradient", token * 128 * 192},
                                                       {"k and v gradient", token * 128 * 256},
                                                       {"kv latent gradient", token * 576},
                                                       {"q latent gradient", token * 1536},
                                                       {"normed input gradient", token * 7168}});
    expected["live score tensors"] = 3 * token * 128 * 2048;
    CHECK(tensors(p, {1, 4}, MemoryPhase::attention_backward) == expected);
  }

  TEST_CASE("every tensor of the MoE phases at B=12, G=8, by hand") {
    const Problem p = problem(fixtures::qwen3_30b_a3b(128, 2, 3072));
    auto forward = tensors(p, {12, 8}, MemoryPhase::moe_forward);
    CHECK(forward["router logits"] == 100'663'296);
    CHECK(forward["top-k choices"] == 3'145'728);
    CHECK(forward["two expert weight buffers"] == 2 * 37'748'736);
    const std::int64_t cap_buffer = 89'376'768;  // cap 3357 tokens of 2d + 3f
    CHECK(forward["expert input"] + forward["expert gate"] + forward["expert up"] + forward["expert hidden"] +
              forward["expert output"] ==
          cap_buffer);
    auto backward = tensors(p, {12, 8}, MemoryPhase::moe_backward);
    CHECK(backward["two expert gradient buffers"] == 2 * 4 * 18'874'368);
    CHECK(backward["Y"] + backward["dZ"] + backward["dY"] == 3 * 805'306'368LL);
  }

  TEST_CASE(
      "head: the chunk is the grid's row of vectors nearest to 4096 tokens, never more than the batch") {
    const Problem p = problem(fixtures::qwen3_30b_a3b());
    CHECK(p.head_chunk == 3976);
    auto head = tensors(p, {1, 4}, MemoryPhase::head);
    CHECK(head["logits of a chunk"] == 3976LL * 151936 * 4);
    CHECK(head["head weight"] == 2 * (2048LL * 151936 + 2048));
    CHECK(tensors(p, {1, 1}, MemoryPhase::head)["logits of a chunk"] == 2048LL * 151936 * 4);
    Workload workload;
    workload.head_chunk = 4096;
    CHECK(problem(fixtures::t1(), workload).head_chunk == 4096);
    Wafer wafer = fixtures::cs2();
    wafer.rows = 640;  // rows of 2560 tokens: 4096 is nearer to two of them
    CHECK(head_chunk(wafer, {}) == 5120);
    wafer.rows = 100'000;
    CHECK(head_chunk(wafer, {}) == 400'000);
  }

  TEST_CASE(
      "scores: 8,589,934,592 bytes for 8 sequences of 4096 with 32 heads, an eighth for one, none whole when "
      "blocked") {
    Workload workload;
    workload.seq_len = 4096;
    Problem p = problem(fixtures::qwen3_30b_a3b(), workload);
    p.wafer.score_tensors_forward = 1;
    const auto scores = [&](Tiling tiling) {
      return tensors(p, tiling, MemoryPhase::attention_forward)["live score tensors"];
    };
    CHECK(scores({8, 1}) == 8'589'934'592);
    CHECK(scores({1, 1}) == 1'073'741'824);
    CHECK(scores({8, 5}) == scores({8, 1}));  // on the tile, never on G
    p.wafer.score_heads = 4;
    CHECK(scores({8, 1}) == 8'589'934'592 / 8);
    p.workload.kernel = AttentionKernel::blocked;
    p.wafer.score_heads.reset();
    CHECK(scores({8, 1}) == 8LL * 32 * 128 * 4096 * 2);
  }

  TEST_CASE("the concatenated output grows with G: 134,217,728 bytes at B=1, G=8, S=4096, d=2048") {
    Workload workload;
    workload.seq_len = 4096;
    const Problem p = problem(fixtures::qwen3_30b_a3b(), workload);
    CHECK(tensors(p, {1, 8}, MemoryPhase::attention_forward)["X, becoming Y"] == 134'217'728);
  }

  TEST_CASE("the peak is the largest step of the largest phase and lists what is alive then") {
    for (const Checkpoint checkpoint : {Checkpoint::XY, Checkpoint::X, Checkpoint::wafer}) {
      const Problem p = problem(fixtures::t1(), with(checkpoint));
      const Peak peak = peak_memory(p, {3, 5});
      Bytes alive, largest;
      for (const Tensor& tensor : peak.tensors) alive += tensor.bytes;
      CHECK(alive == peak.bytes);
      for (const PhaseMemory& memory : phases(p, {3, 5}))
        for (int step = 1; step <= 5; ++step) {
          Bytes sum;
          for (const Tensor& tensor : memory.tensors)
            if (tensor.first <= step && step <= tensor.last) sum += tensor.bytes;
          largest = std::max(largest, sum);
        }
      CHECK(peak.bytes == largest);
    }
  }

  TEST_CASE("checkpoints on the wafer cost X and Y of every layer, and no transfer buffers") {
    const Problem streamed = problem(fixtures::t1()), kept = problem(fixtures::t1(), with(Checkpoint::wafer));
    auto head = tensors(kept, {3, 5}, MemoryPhase::head);
    const std::int64_t x = 15LL * 2048 * 64 * 2;
    CHECK(head["kept X of the layers"] == 2 * x);
    CHECK(head["kept Y of the layers"] == 2 * x);
    CHECK(tensors(kept, {3, 5}, MemoryPhase::moe_backward)["kept Y of the layers"] == x);
    CHECK(tensors(streamed, {3, 5}, MemoryPhase::head).count("kept X of the layers") == 0);
    CHECK(tensors(streamed, {3, 5}, MemoryPhase::attention_forward).count("two transfer buffers") == 1);
    CHECK(tensors(kept, {3, 5}, MemoryPhase::attention_forward).count("two transfer buffers") == 0);
  }

  TEST_CASE("an MLP of one layer among experts is a phase of its own, in place") {
    Model model = fixtures::t1();
    model.layers[0].feed_forward = DenseMlp{.width = 5000};
    auto dense = tensors(problem(model), {2, 3}, MemoryPhase::dense_mlp_forward);
    CHECK(dense["up"] == 2LL * 2048 * 5000 * 2);
    CHECK(dense["MLP weights"] == 2 * (3 * 64 * 5000 + 64));
    CHECK(dense["Y, becoming Z"] == 6LL * 2048 * 64 * 2);
    CHECK(dense.count("Z") == 0);
  }

  TEST_CASE("scalars per token: the scales of the q/k norm and the value of a shared expert's gate") {
    Model model = fixtures::t1();
    auto& attention = std::get<GroupedQueryAttention>(model.layers[0].attention);
    auto& moe = std::get<MoeMlp>(model.layers[0].feed_forward);
    model.layers.resize(1);
    const auto bytes = [&](MemoryPhase phase, const char* name) {
      auto found = tensors(problem(model), {2, 3}, phase);
      return found.contains(name) ? found[name] : 0;
    };
    const std::int64_t tile = 2LL * 2048;
    CHECK(bytes(MemoryPhase::attention_backward, "q/k norm scales") == 0);
    attention.qk_norm = QkNorm::per_head;
    CHECK(bytes(MemoryPhase::attention_backward, "q/k norm scales") == 4 * tile * (4 + 2));
    attention.qk_norm = QkNorm::projection;
    CHECK(bytes(MemoryPhase::attention_backward, "q/k norm scales") == 4 * tile * 2);
    CHECK(bytes(MemoryPhase::attention_forward, "q/k norm scales") == 0);
    moe.shared_width = 48;
    CHECK(bytes(MemoryPhase::moe_forward, "shared expert gate values") == 0);
    moe.shared_gate = true;
    CHECK(bytes(MemoryPhase::moe_forward, "shared expert gate values") == 4 * tile);
    CHECK(bytes(MemoryPhase::moe_backward, "shared expert gate values") == 4 * tile);
  }

  TEST_CASE("the router's weight, with the norm's gain, lives as long as tokens are gathered") {
    Model model = fixtures::t1();
    std::get<MoeMlp>(model.layers[1].feed_forward).shared_width = 48;
    const Problem p = problem(model);
    for (const PhaseMemory& memory : phases(p, {2, 3}))
      for (const Tensor& tensor : memory.tensors)
        if (memory.phase == MemoryPhase::moe_forward && tensor.name == "router weight")
          CHECK(tensor.last == (memory.kind == 0 ? 3 : 4));
    CHECK(phases(p, {2, 3}).back().kind == 0);  // the head
  }

  TEST_CASE("memory never falls when the tile or the number of tiles grows") {
    const Problem p = problem(fixtures::qwen3_30b_a3b());
    for (std::int64_t b = 1; b < 12; ++b)
      for (std::int64_t g = 1; g < 12; ++g) {
        CHECK(peak_memory(p, {b + 1, g}).bytes >= peak_memory(p, {b, g}).bytes);
        CHECK(peak_memory(p, {b, g + 1}).bytes >= peak_memory(p, {b, g}).bytes);
        CHECK(tile_memory(p, b, b * g) <= peak_memory(p, {b, g}).bytes);
      }
  }

  TEST_CASE("the limit is the SRAM less what is reserved, and GB is not GiB") {
    CHECK(memory_limit(fixtures::cs2()).value == 35'909'959'680);
    Wafer wafer = fixtures::one_core();
    wafer.sram_per_core = Bytes(44'000'000'000);
    CHECK(Bytes(45'000'000'000) > memory_limit(wafer));
    wafer.sram_per_core = Bytes(47'244'640'256);
    CHECK(Bytes(45'000'000'000) <= memory_limit(wafer));
  }
}
