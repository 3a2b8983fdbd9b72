// The lists that everything is read off, whole, for a small model with every kind of layer: the operators
// with their work and parameters, and the tensors with bytes and lifetimes under each checkpoint policy.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "cost/memory.h"
#include "cost/step_time.h"
#include "golden/golden_file.h"
#include "support/fixtures.h"

using namespace bta;

namespace {

/// T1 with a dense first layer and a gated shared expert in the second; then latent attention beside experts
/// with biases and LayerNorms, and a parallel layer in chunks with sinks and half a head rotated.
Model every_kind() {
  Model model = fixtures::t1();
  auto attention = std::get<GroupedQueryAttention>(model.layers[0].attention);
  attention.qk_norm = QkNorm::per_head;
  model.layers = {
      {attention, DenseMlp{.width = 256, .gated = true, .bias = true}},
      {attention, MoeMlp{.experts = 8, .top_k = 2, .width = 32, .shared_width = 48, .shared_gate = true}}};
  MoeMlp biased{.experts = 4, .top_k = 1, .width = 20};
  biased.router_bias = biased.selection_bias = biased.expert_bias = true;
  model.layers.push_back({LatentAttention{.heads = 4,
                                          .q_rank = 24,
                                          .kv_rank = 12,
                                          .nope_head_dim = 16,
                                          .rope_head_dim = 8,
                                          .v_head_dim = 10,
                                          .bias = true},
                          biased});
  model.layers.back().norm_bias = true;
  GroupedQueryAttention chunked = attention;
  chunked.qk_norm = QkNorm::unit;
  chunked.window = Window{100, true};
  chunked.rotary_dim = 8;
  chunked.sinks = true;
  model.layers.push_back({chunked, DenseMlp{.width = 24, .gated = false}});
  model.layers.back().parallel = true;
  model.norm_bias = model.head_bias = true;
  return model;
}

std::string in_window(const std::optional<Window>& window) {
  if (!window) return "";
  return fmt::format(" in {} {} keys", window->chunked ? "chunks of" : "the last", window->keys);
}

std::string shown(const Work& work) {
  if (const auto* gemm = std::get_if<Gemm>(&work))
    return fmt::format("gemm {} x {}", gemm->inputs, gemm->outputs);
  if (const auto* product = std::get_if<AttentionProduct>(&work))
    return fmt::format("pairs{}, {} heads of {}", in_window(product->window), product->heads,
                       product->head_dim);
  if (const auto* vector = std::get_if<TokenVector>(&work))
    return fmt::format("vector, {} FLOPs for each of {}", vector->flops_per_element, vector->elements);
  const auto& pairs = std::get<PairVector>(work);
  return fmt::format("vector, {} FLOPs for each pair{} of {} heads", pairs.flops_per_element,
                     in_window(pairs.window), pairs.heads);
}

std::string operator_list(const Problem& problem) {
  std::string text;
  const auto add = [&](const std::vector<Operator>& operators) {
    for (const Operator& op : operators)
      text += fmt::format("{:18} {:46} {:>6} parameters\n", op.name, shown(op.work), op.parameters);
    text += "\n";
  };
  for (const ProblemLayer& layer : problem.layers) add(layer.operators);
  add(problem.head);
  return text;
}

std::string tensor_list(Checkpoint checkpoint) {
  Workload workload;
  workload.seq_len = 100;
  workload.checkpoint = checkpoint;
  const Problem problem = make_problem(every_kind(), fixtures::cs2(), workload);
  std::string text;
  for (const PhaseMemory& memory : memory_phases(problem, {2, 6, expert_capacities(problem, 6)})) {
    text += fmt::format("{}\n", memory_phase_name(memory.phase));
    for (const Tensor& tensor : memory.tensors)
      text += fmt::format("  {:34} {:>9} bytes, steps {}-{}\n", tensor.name, tensor.bytes.value, tensor.first,
                          tensor.last);
  }
  return text;
}

}  // namespace

TEST_SUITE("golden") {
  TEST_CASE("the operators of every kind of layer") {
    const Problem problem = make_problem(every_kind(), fixtures::cs2(), {});
    CHECK(golden::difference("operators.txt", operator_list(problem)) == "");
  }

  TEST_CASE("the tensors of every phase with bytes and lifetimes, for B=2, G=3, S=100") {
    CHECK(golden::difference("tensors_XY.txt", tensor_list(Checkpoint::XY)) == "");
    CHECK(golden::difference("tensors_X.txt", tensor_list(Checkpoint::X)) == "");
    CHECK(golden::difference("tensors_wafer.txt", tensor_list(Checkpoint::wafer)) == "");
  }
}
