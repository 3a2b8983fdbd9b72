// What is asked of a model on a wafer: sequence length, conventions, kernel, policies, routing.
// Symbols of docs/model.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/count.h"
#include "hardware/wafer.h"
#include "model/measured_routing.h"

namespace bta {

enum class Mask { full, causal, half };  // half: S^2/2, only to compare FLOPs with tools that count so
enum class AttentionKernel { materialized, blocked };
enum class Checkpoint { XY, X, wafer };
enum class Placement { masked, compacted };

struct BalancedRouting {
  bool operator==(const BalancedRouting&) const = default;
};
/// p_e = min(1, c / e^alpha), sum p_e = k.
struct ZipfRouting {
  double alpha = 1;
  bool operator==(const ZipfRouting&) const = default;
};
/// MeasuredRouting: p_e = min(1, c*count_e), sum p_e = k.
using Routing = std::variant<BalancedRouting, ZipfRouting, MeasuredRouting>;

/// Bytes per element: activation a, streamed weight w, streamed gradient g, score s.
struct ElementBytes {
  std::int64_t activation = 2;
  std::int64_t weight = 2;
  std::int64_t gradient = 2;
  std::int64_t score = 2;
};

struct Workload {
  std::int64_t seq_len = 2048;  // S, tokens per sequence
  Mask mask = Mask::full;
  AttentionKernel kernel = AttentionKernel::materialized;
  Checkpoint checkpoint = Checkpoint::XY;
  Placement placement = Placement::masked;
  Routing routing = BalancedRouting{};
  Precision precision = Precision::fp16;
  ElementBytes bytes;
  std::optional<std::int64_t> head_chunk;  // hc, tokens; absent: fitted to the grid, see cost/problem.h
  double capacity_quantile =
      0.999;  // q, probability that no expert of any layer exceeds its buffer in one micro-batch
  std::int64_t wafers = 1;
};

/// A batch-tiling plan: attention in G tiles of B sequences, experts once on N = B*G.
struct Tiling {
  std::int64_t tile_batch = 1;  // B, sequences
  std::int64_t tiles = 1;       // G
  bool operator==(const Tiling&) const = default;
};

/// N = B*G
inline Sequences micro_batch(Tiling tiling) {
  return Sequences(checked_mul(tiling.tile_batch, tiling.tiles));
}
/// t = B*S
inline Tokens tile_tokens(Tiling tiling, std::int64_t seq_len) {
  return Tokens(checked_mul(tiling.tile_batch, seq_len));
}
/// T = N*S
inline Tokens micro_batch_tokens(Tiling tiling, std::int64_t seq_len) {
  return Tokens(checked_mul(micro_batch(tiling).value, seq_len));
}

}  // namespace bta
