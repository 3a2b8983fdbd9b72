#include "verify/counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "cost/flops.h"
#include "cost/memory.h"
#include "cost/traffic.h"
#include "verify/setup.h"

namespace bta::verify {
namespace {

using executor::PhaseUse;

/// Calls visit(layer of the counters, problem layer or null for the head, operators).
void each_layer(const Counted& run, const auto& visit) {
  const std::size_t layers = run.problem.model.layers.size();
  for (std::size_t l = 0; l < layers; ++l) {
    const ProblemLayer& layer = run.problem.layers[kind_of(run.problem, l)];
    visit(l, &layer, layer.operators);
  }
  visit(layers, nullptr, run.problem.head);
}

std::int64_t sequences(const Counted& run) {
  return micro_batch(run.config.tiling).value;
}

Flops expected_flops(const Counted& run, const ProblemLayer* layer, const Operator& op) {
  const Flops forward = forward_flops(run.problem, layer, op, sequences(run));
  Flops total;
  for (const PhaseKind kind : phases_of(op.stage, run.problem.workload.checkpoint))
    total += executed_flops(op, forward, phase_rule(kind).passes);
  return total;
}

void compare_phase_traffic(Comparison& comparison, std::size_t layer, const PhaseTraffic& expected,
                           const executor::Streamed& measured) {
  const auto one = [&](std::string_view what, Bytes e, Bytes m) {
    comparison.exact(fmt::format("layer {}, {}, {}", layer, phase_name(expected.kind), what), e.value,
                     m.value);
  };
  one("weights in", expected.weights_in, measured.weights_in);
  one("checkpoint in", expected.checkpoint_in, measured.checkpoint_in);
  one("gradients out", expected.gradients_out, measured.gradients_out);
  one("checkpoint out", expected.checkpoint_out, measured.checkpoint_out);
}

/// Phases that the closed form does not list have streamed nothing.
void compare_layer_traffic(Comparison& comparison, std::size_t layer,
                           const std::vector<PhaseTraffic>& expected,
                           const std::array<executor::Streamed, phase_names.size()>& measured) {
  for (std::size_t kind = 0; kind < measured.size(); ++kind) {
    PhaseTraffic traffic{.kind = static_cast<PhaseKind>(kind)};
    const auto found = std::ranges::find(expected, traffic.kind, &PhaseTraffic::kind);
    if (found != expected.end()) traffic = *found;
    compare_phase_traffic(comparison, layer, traffic, measured[kind]);
  }
}

using Sizes = std::map<std::string_view, std::int64_t>;

Sizes expected_at(const PhaseMemory& memory, int step) {
  Sizes sizes;
  for (const Tensor& tensor : memory.tensors)
    if (tensor.first <= step && step <= tensor.last) sizes[tensor.name] += tensor.bytes.value;
  return sizes;
}

std::int64_t total(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0},
                         [](std::int64_t sum, const auto& size) { return sum + size.second; });
}

void compare_sizes(Comparison& comparison, const std::string& where, const Sizes& expected,
                   const Sizes& measured) {
  Sizes names = expected;
  names.insert(measured.begin(), measured.end());
  const auto bytes = [](const Sizes& sizes, std::string_view name) {
    const auto found = sizes.find(name);
    return found == sizes.end() ? 0 : found->second;
  };
  for (const auto& [name, unused] : names)
    comparison.exact(fmt::format("{}, {}", where, name), bytes(expected, name), bytes(measured, name));
}

void compare_phase(Comparison& comparison, const PhaseMemory& expected, const PhaseUse& measured) {
  const std::string where = fmt::format("layer {}, {}", measured.layer, memory_phase_name(expected.phase));
  std::int64_t peak = 0;
  for (int step = 1; step <= executor::step_count; ++step) {
    const Sizes sizes = expected_at(expected, step);
    Sizes used;
    for (const executor::NamedBytes& tensor : measured.steps[static_cast<std::size_t>(step - 1)])
      used[tensor.name] = tensor.bytes.value;
    compare_sizes(comparison, fmt::format("{} [{}]", where, step), sizes, used);
    peak = std::max(peak, total(sizes));
  }
  comparison.exact(where + ", peak", peak, measured.peak.value);
}

/// Of every kind of layer.
std::vector<std::int64_t> capacities(const Counted& run) {
  std::vector<std::int64_t> result;
  for (const ProblemLayer& layer : run.problem.layers)
    result.push_back(run.config.expert_capacity[static_cast<std::size_t>(layer.deepest - 1)]);
  return result;
}

/// Layers in which the closed form holds as it stands: with checkpoint wafer it counts what the deepest one
/// keeps.
std::vector<std::size_t> layers_of(const Problem& problem, const PhaseMemory& memory) {
  if (memory.phase == MemoryPhase::head) return {0};
  const std::int64_t deepest = problem.layers[memory.kind].deepest - 1;
  if (problem.workload.checkpoint == Checkpoint::wafer) return {static_cast<std::size_t>(deepest)};
  std::vector<std::size_t> layers;
  for (std::size_t l = 0; l < problem.model.layers.size(); ++l)
    if (kind_of(problem, l) == memory.kind) layers.push_back(l);
  return layers;
}

/// Phases of all layers.
std::int64_t expected_phases(const Problem& problem, const std::vector<PhaseMemory>& expected) {
  std::int64_t phases = 0;
  for (const PhaseMemory& memory : expected)
    phases += memory.phase == MemoryPhase::head ? 1 : problem.layers[memory.kind].count;
  return phases;
}

/// Totals of the step by class; a forward pass is half of the gradients of gemm and attention class.
struct Totals {
  std::int64_t model_forward = 0, hardware = 0, vector = 0;
};

Totals counted_totals(const Counted& run) {
  Totals totals;
  each_layer(run, [&](std::size_t l, const ProblemLayer*, const std::vector<Operator>& operators) {
    for (std::size_t i = 0; i < operators.size(); ++i) {
      const executor::OperatorFlops& counted = run.measured.counters.layers[l].operators[i];
      const bool is_vector = flop_class(operators[i]) == FlopClass::vector;
      (is_vector ? totals.vector : totals.hardware) += (counted.forward + counted.gradients).value;
      if (!is_vector) totals.model_forward += counted.gradients.value / 2;
    }
  });
  return totals;
}

void compare_totals(Comparison& comparison, const Counted& run) {
  const FlopCount expected = count_flops(run.problem, sequences(run));
  const Totals counted = counted_totals(run);
  comparison.exact("model FLOPs of a forward pass", expected.model_forward.value, counted.model_forward);
  comparison.exact("model FLOPs of a training step", expected.model_training.value,
                   3 * counted.model_forward);
  comparison.exact("hardware FLOPs of a step", expected.hardware.value, counted.hardware);
  comparison.exact("vector FLOPs of a step", expected.vector.value, counted.vector);
}

/// Every token's k choices are different experts.
void compare_distinct(Comparison& comparison, std::size_t layer, const MoeMlp& moe,
                      const std::vector<std::int64_t>& choices) {
  for (std::size_t first = 0; first < choices.size(); first += static_cast<std::size_t>(moe.top_k)) {
    const auto begin = choices.begin() + static_cast<std::ptrdiff_t>(first);
    const std::set<std::int64_t> experts(begin, begin + moe.top_k);
    comparison.exact(fmt::format("layer {}, different experts of a token", layer), moe.top_k,
                     static_cast<std::int64_t>(experts.size()));
    const bool known = *experts.begin() >= 0 && *experts.rbegin() < moe.experts;
    comparison.same(fmt::format("layer {}, experts of a token are the layer's", layer), known);
  }
}

/// Every expert sees the tokens that chose it, over all rows.
void compare_histogram(Comparison& comparison, std::size_t layer, const std::vector<std::int64_t>& choices,
                       const std::vector<executor::ExpertLoad>& loads) {
  for (std::size_t e = 0; e < loads.size(); ++e) {
    const auto chosen = std::ranges::count(choices, static_cast<std::int64_t>(e));
    const auto& rows = loads[e].row_tokens;
    const std::string where = fmt::format("layer {}, expert {}, ", layer, e);
    comparison.exact(where + "tokens", chosen, loads[e].tokens);
    comparison.exact(where + "tokens over the rows", chosen,
                     std::accumulate(rows.begin(), rows.end(), std::int64_t{0}));
    comparison.exact(where + "fullest row", *std::ranges::max_element(rows), loads[e].fullest_row);
  }
}

}  // namespace

void compare_flops(Comparison& comparison, const Counted& run) {
  each_layer(run, [&](std::size_t l, const ProblemLayer* layer, const std::vector<Operator>& operators) {
    for (std::size_t i = 0; i < operators.size(); ++i) {
      const executor::OperatorFlops& counted = run.measured.counters.layers[l].operators[i];
      comparison.exact(fmt::format("layer {}, {}", l, operators[i].name),
                       expected_flops(run, layer, operators[i]).value,
                       (counted.forward + counted.gradients).value);
    }
  });
  compare_totals(comparison, run);
}

void compare_performed(Comparison& comparison, const Counted& run) {
  each_layer(run, [&](std::size_t l, const ProblemLayer*, const std::vector<Operator>& operators) {
    for (std::size_t i = 0; i < operators.size(); ++i) {
      if (flop_class(operators[i]) == FlopClass::vector) continue;
      const executor::OperatorFlops& counted = run.measured.counters.layers[l].operators[i];
      comparison.exact(fmt::format("layer {}, {}", l, operators[i].name),
                       (counted.forward + counted.gradients).value, counted.performed.value);
    }
  });
}

void compare_traffic(Comparison& comparison, const Counted& run) {
  each_layer(run, [&](std::size_t l, const ProblemLayer* layer, const std::vector<Operator>&) {
    const std::vector<PhaseTraffic> expected = layer == nullptr
                                                   ? std::vector<PhaseTraffic>{head_traffic(run.problem)}
                                                   : layer_traffic(run.problem, *layer, sequences(run));
    compare_layer_traffic(comparison, l, expected, run.measured.counters.streamed[l]);
  });
}

void compare_memory(Comparison& comparison, const Counted& run) {
  const std::int64_t n = sequences(run);
  const std::vector<PhaseMemory> expected =
      memory_phases(run.problem, {run.config.tiling.tile_batch, n, capacities(run)});
  for (const PhaseMemory& memory : expected)
    for (const std::size_t layer : layers_of(run.problem, memory)) {
      const auto measured = std::ranges::find_if(run.measured.phases, [&](const PhaseUse& use) {
        return use.phase == memory.phase && use.layer == layer;
      });
      const bool ran = measured != run.measured.phases.end();
      comparison.same(fmt::format("layer {}, {} ran", layer, memory_phase_name(memory.phase)), ran);
      if (ran) compare_phase(comparison, memory, *measured);
    }
  comparison.exact("phases run", expected_phases(run.problem, expected),
                   static_cast<std::int64_t>(run.measured.phases.size()));
  comparison.exact("peak of the step", peak_memory(expected).bytes.value, run.measured.peak.value);
  comparison.exact("tensors left behind", 0, static_cast<std::int64_t>(run.measured.tensors_left));
}

void compare_choices(Comparison& comparison, const Counted& run, const Choices& choices) {
  const std::int64_t tokens = micro_batch_tokens(run.config.tiling, run.problem.workload.seq_len).value;
  for (std::size_t l = 0; l < run.problem.model.layers.size(); ++l) {
    const auto* moe = std::get_if<MoeMlp>(&run.problem.model.layers[l].feed_forward);
    const std::int64_t expected = moe == nullptr ? 0 : tokens * moe->top_k;
    comparison.exact(fmt::format("layer {}, choices", l), expected,
                     static_cast<std::int64_t>(choices[l].size()));
    if (moe == nullptr) continue;
    compare_distinct(comparison, l, *moe, choices[l]);
    compare_histogram(comparison, l, choices[l], run.measured.counters.layers[l].experts);
  }
}

}  // namespace bta::verify
