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
  per_head,    // one gain of head size for queries and one for keys (Qwen3)
  projection,  // one gain over all query heads and one over all key heads (OLMoE)
  unit         // per head without a gain (Llama 4)
};

/// The keys of a causal query.
struct Window {
  std::int64_t keys = 1;  // >= 1
  bool chunked = false;  // false: the last `keys`, itself included; true: those of its chunk of `keys` tokens
  bool operator==(const Window&) const = default;
  /// The first key that query 0, 1, .. sees.
  std::int64_t first_key(std::int64_t query) const;
  /// Sum over the queries of a sequence of the keys each sees.
  std::int64_t pairs(std::int64_t seq_len) const;
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
  std::optional<Window> window = std::nullopt;            // absent: every key before the query
  std::optional<std::int64_t> rotary_dim = std::nullopt;  // of a head's dqk; absent: all, 0: none
  bool sinks = false;  // one learned logit a head in every softmax (GPT-OSS)
  bool operator==(const GroupedQueryAttention&) const = default;

  std::int64_t rotated() const { return rotary_dim.value_or(qk_head_dim); }
};

/// Multi-head latent attention (DeepSeek-V2): queries, and keys with values, pass a narrow latent with a norm
/// of its own; one rotary key is shared by all heads. In training k and v are expanded per head.
struct LatentAttention {
  std::int64_t heads = 0;          // H
  std::int64_t q_rank = 0;         // 0: queries are projected directly
  std::int64_t kv_rank = 0;        // >= 1
  std::int64_t nope_head_dim = 0;  // of a head's query and key, not rotated
  std::int64_t rope_head_dim = 0;  // of a head's query, and of the shared key; rotated
  std::int64_t v_head_dim = 0;     // dv
  bool bias = false;               // on the projections into the latents and on the output's
  bool operator==(const LatentAttention&) const = default;

  std::int64_t qk_head_dim() const { return nope_head_dim + rope_head_dim; }  // dqk
};
using Attention = std::variant<GroupedQueryAttention, LatentAttention>;

std::int64_t query_heads(const Attention& attention);

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
  bool router_bias = false;
  bool selection_bias = false;  // E values added when experts are chosen, not to their weights (DeepSeek-V3)
  bool expert_bias = false;     // on every matrix of the routed experts (GPT-OSS)
  bool operator==(const MoeMlp&) const = default;
};
using FeedForward = std::variant<DenseMlp, MoeMlp>;

struct Layer {
  Attention attention;
  FeedForward feed_forward;
  bool norm_bias = false;   // LayerNorm: centred, gain and bias; else RMSNorm, or LayerNorm with a gain only
  bool parallel = false;    // attention and MLP read the same norm (GPT-J): the MLP's has no gain of its own
  bool post_norms = false;  // a norm after attention and one after the MLP too (Grok-1); counted, not run
  bool operator==(const Layer&) const = default;
};

/// What a checkpoint holds beside the language model: counted apart, in no other number.
struct ModelPart {
  std::string name;  // "MTP", "vision"
  std::int64_t parameters = 0;
  bool operator==(const ModelPart&) const = default;
};

struct Model {
  std::string name;             // as declared; never a path
  std::int64_t hidden = 0;      // d
  std::int64_t vocabulary = 0;  // V
  bool tied_embeddings = false;
  std::int64_t positions = 0;  // rows of a learned position table, 0: none; looked up off the wafer
  bool norm_bias = false;      // of the final norm
  bool head_bias = false;
  std::vector<Layer> layers;  // L of them, in order; pre-norm: two norms a layer, one at the end
  std::vector<ModelPart> beside;
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
