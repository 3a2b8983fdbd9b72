// One wafer for one run: arena, counters and timeline behind one set of verbs. The schedule tells it what is
// allocated, streamed and run; nothing here knows the order.
#pragma once

#include <string_view>
#include <vector>

#include "executor/arena.h"
#include "executor/config.h"
#include "executor/counters.h"
#include "executor/timeline.h"

namespace bta::executor {

/// An operator of a layer: its place in the layer's list.
struct OperatorRef {
  std::size_t layer = 0;  // the number of layers for the head
  std::size_t index = 0;
};

/// What the machine keeps for those who want to look closer; costs memory.
struct Recording {
  bool arena_events = false;
  bool beats = false;
};

class Machine {
 public:
  explicit Machine(const Config& config, Recording recording = {});

  const Config& config() const { return config_; }
  std::size_t head() const { return config_.model.layers.size(); }
  const std::vector<Operator>& operators(std::size_t layer) const { return operators_[layer]; }
  const Operator& operator_of(OperatorRef op) const { return operators_[op.layer][op.index]; }
  /// By name; the layer must have it.
  OperatorRef find(std::size_t layer, std::string_view name) const;

  /// Memory: a phase of a layer, its steps.
  Arena& arena() { return arena_; }
  const Arena& arena() const { return arena_; }

  /// Streams and time: what follows belongs to this phase of this layer.
  void begin(PhaseKind kind, std::size_t layer);
  void beat() { timeline_.beat(); }
  void end() { timeline_.end(); }

  void load_weights(std::int64_t parameters);
  void store_gradients(std::int64_t parameters);
  void load_checkpoint(std::int64_t tokens);
  void store_checkpoint(std::int64_t tokens);
  /// A checkpoint that leaves beside the whole phase.
  void store_checkpoint_in_background(std::int64_t tokens);

  /// FLOPs of `tokens` tokens through an operator.
  void count_forward(OperatorRef op, std::int64_t tokens);
  void count_gradient(OperatorRef op, std::int64_t tokens, std::int64_t gradients);
  Flops& performed(OperatorRef op) { return flops(op).performed; }

  /// Time of an operator whose fullest row works through `vectors` vectors.
  void time(OperatorRef op, Pass pass, std::int64_t vectors);

  /// FLOPs and time of tokens spread evenly over all rows.
  void forward(OperatorRef op, std::int64_t tokens);
  void input_gradient(OperatorRef op, std::int64_t tokens) { gradient(op, Pass::input_gradient, tokens); }
  void weight_gradient(OperatorRef op, std::int64_t tokens) { gradient(op, Pass::weight_gradient, tokens); }
  /// Both gradients of an operator without weights of its own to stream.
  void both_gradients(OperatorRef op, std::int64_t tokens);

  void overhead(double seconds) { timeline_.overhead(seconds); }
  void dispatch(std::int64_t routed_tokens);
  void combine(std::int64_t routed_tokens);

  void note_loads(std::size_t layer, std::vector<ExpertLoad> loads);

  const Counters& counters() const { return counters_; }
  const Timeline& timeline() const { return timeline_; }

 private:
  OperatorFlops& flops(OperatorRef op) { return counters_.layers[op.layer].operators[op.index]; }
  Streamed& streamed() { return counters_.streamed[layer_][static_cast<std::size_t>(kind_)]; }
  Bytes activation_bytes(std::int64_t tokens) const;
  Flops unit_flops(OperatorRef op, std::int64_t tokens) const;
  void gradient(OperatorRef op, Pass pass, std::int64_t tokens);

  const Config& config_;
  std::vector<std::vector<Operator>> operators_;
  std::vector<std::vector<std::int64_t>> pairs_;  // computed pairs of each operator, 0 where it has none
  Arena arena_;
  Counters counters_;
  Timeline timeline_;
  PhaseKind kind_ = PhaseKind::fixed;
  std::size_t layer_ = 0;
};

}  // namespace bta::executor
