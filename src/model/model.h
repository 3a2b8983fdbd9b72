// What a transformer is: a list of layers, each with an attention kind and a feed-forward kind.
// A new kind is a new alternative of the variants below. Filled once, whole and valid, by `input`.
// Symbols of docs/model.md beside the fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace bta {

enum class QkNorm {
  none,
  per_head,   // one gain of head size for queries and one for keys (Qwen3)
  projection  // one gain over all query heads and one over all key heads (OLMoE)
};

/// Multi-head (Hkv = H), grouped-query (1 < Hkv < H) or multi-query (Hkv = 1) attention.
struct GroupedQueryAttention {
  std::int64_t heads = 0;        // H
  std::int64_t kv_heads = 0;     // Hkv, divides H
  std::int64_t qk_head_dim = 0;  // dqk
  std::int64_t v_head_dim = 0;   // dv
  QkNorm qk_norm = QkNorm::none;
  bool qkv_bias = false;
  bool output_bias = false;
  std::optional<std::int64_t> window = std::nullopt;  // a causal query's keys, itself included; >= 1
  bool operator==(const GroupedQueryAttention&) const = default;
};
using Attention = std::variant<GroupedQueryAttention>;

/// One MLP that every token passes: gate, up, down when gated (SwiGLU), else up, down.
struct DenseMlp {
  std::int64_t width = 0;  // ff
  bool gated = true;
  bool bias = false;
  bool operator==(const DenseMlp&) const = default;
};

/// Router, E routed experts of which each token visits k, and an optional shared expert.
struct MoeMlp {
  std::int64_t experts = 0;  // E
  std::int64_t top_k = 0;    // k, 1..E
  std::int64_t width = 0;    // f, one expert
  bool gated = true;
  std::int64_t shared_width = 0;  // fs, 0 = no shared expert
  bool shared_gate = false;       // a d -> 1 gate on the shared expert (Qwen2-MoE)
  bool operator==(const MoeMlp&) const = default;
};
using FeedForward = std::variant<DenseMlp, MoeMlp>;

struct Layer {
  Attention attention;
  FeedForward feed_forward;
  bool operator==(const Layer&) const = default;
};

struct Model {
  std::string name;             // as declared; never a path
  std::int64_t hidden = 0;      // d
  std::int64_t vocabulary = 0;  // V
  bool tied_embeddings = false;
  std::vector<Layer> layers;  // L of them, in order; pre-norm with RMSNorm: two gains a layer, one at the end
  std::vector<std::string> notes;  // what the reader derived or left out, told to the user
  std::string content_hash;        // SHA-256 of the canonical description, hex; independent of key order
};

/// Equal layers counted together, in order of first appearance: costs are sums over kinds.
struct LayerKind {
  Layer layer;
  std::int64_t count = 0;
  std::int64_t deepest = 0;  // 1-based position of the last such layer
};
std::vector<LayerKind> layer_kinds(const Model& model);

/// The first MoE layer's feed-forward, or nullptr for a dense model.
const MoeMlp* moe_of(const Model& model);
std::int64_t moe_layers(const Model& model);

/// Every MoE layer as one fused MLP of width k*f + fs without a router: what E = k means.
Model dense_equivalent(const Model& model);

/// The same model with E, k and f of every MoE layer replaced.
Model with_experts(const Model& model, std::int64_t experts, std::int64_t top_k, std::int64_t width);

}  // namespace bta
