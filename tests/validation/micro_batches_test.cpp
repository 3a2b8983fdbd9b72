// Micro-batches that the vendor's public model configurations ship for one system (which one is not stated).
// Each ran, so each must fit some stated kernel, and leave no more than four fifths of the memory unused.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "cost/memory.h"
#include "input/load.h"

using namespace bta;

namespace {

struct Shipped {
  const char* name;
  std::int64_t seq_len, hidden, layers, heads, kv_heads, width;
  bool gated;
  std::int64_t experts, top_k;
  std::int64_t micro_batch;
  // Largest number of heads whose 3 score tensors fit beside the rest of a CS-2, of a CS-3.
  std::int64_t heads_cs2, heads_cs3;
  // Percent of the memory limit with a blocked kernel.
  std::int64_t percent_cs2, percent_cs3;
};
const Shipped configs[] = {
    {"gpt3_xl", 2048, 2048, 24, 16, 16, 8192, false, 0, 0, 88, 12, 15, 31, 26},
    {"llama3p1_8b", 8192, 4096, 32, 32, 8, 14336, true, 0, 0, 20, 2, 3, 61, 51},
    {"gemma2_27b", 8192, 4608, 46, 32, 16, 36864, true, 0, 0, 9, 8, 10, 63, 53},
    {"llama3p1_70b", 8192, 8192, 80, 64, 8, 28672, true, 0, 0, 8, 8, 10, 58, 49},
    {"mixtral_8x7b", 32768, 4096, 32, 32, 8, 14336, true, 8, 2, 4, 1, 1, 37, 31},
};

Problem problem(const Shipped& config, const std::string& hardware, AttentionKernel kernel) {
  Model model;
  model.name = config.name;
  model.hidden = config.hidden;
  model.vocabulary = 32000;
  const GroupedQueryAttention attention{config.heads, config.kv_heads, 128, 128};
  FeedForward mlp = DenseMlp{config.width, config.gated};
  if (config.experts > 0) mlp = MoeMlp{config.experts, config.top_k, config.width};
  model.layers.assign(static_cast<std::size_t>(config.layers), Layer{attention, mlp});
  Workload workload;
  workload.seq_len = config.seq_len;
  workload.kernel = kernel;
  return make_problem(model, load_wafer(hardware, {}).value(), workload);
}

double share_of_limit(const Problem& problem, std::int64_t batch) {
  return as_double(peak_memory(problem, {batch, 1}).bytes) / as_double(memory_limit(problem.wafer));
}

std::int64_t most_heads(Problem problem, const Shipped& config) {
  std::int64_t most = 0;
  for (std::int64_t heads = 1; heads <= config.heads; ++heads) {
    problem.wafer.score_heads = heads;
    if (share_of_limit(problem, config.micro_batch) <= 1) most = heads;
  }
  return most;
}

}  // namespace

TEST_SUITE("validation") {
  TEST_CASE("every shipped micro-batch fits with a blocked kernel, and fills 20 % of the memory or more") {
    for (const Shipped& config : configs)
      for (const char* hardware : {"cerebras-cs2", "cerebras-cs3"}) {
        CAPTURE(config.name);
        const double share =
            share_of_limit(problem(config, hardware, AttentionKernel::blocked), config.micro_batch);
        CHECK(std::llround(100 * share) ==
              (hardware == std::string("cerebras-cs2") ? config.percent_cs2 : config.percent_cs3));
        CHECK(share >= 0.2);
        CHECK(share <= 1);
      }
  }

  TEST_CASE("how many heads of live scores each shipped micro-batch leaves room for") {
    for (const Shipped& config : configs) {
      CAPTURE(config.name);
      const auto kernel = AttentionKernel::materialized;
      CHECK(most_heads(problem(config, "cerebras-cs2", kernel), config) == config.heads_cs2);
      CHECK(most_heads(problem(config, "cerebras-cs3", kernel), config) == config.heads_cs3);
    }
  }
}
