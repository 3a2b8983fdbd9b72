// The Hugging Face model families whose arithmetic is known here: one table row each, holding only what
// differs from a Llama. A new family of the same parts is a new row. Read off configuration_*.py and
// modeling_*.py of huggingface/transformers (4.40 to 4.57), or of the checkpoint's own repository.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/model.h"

namespace bta {

/// When the default of a switch is noted: published files of a family may never write its key (never), or
/// always, so that an absent key is likely a slip (always).
enum class HfTold : std::uint8_t { when_on, always, never };

/// Where a bias or another switch of a family comes from: a key of the file with its default when
/// absent, or (no key) a fixed value that no key of the file changes.
struct HfSwitch {
  std::string_view key = "";
  bool value = false;
  HfTold told = HfTold::when_on;
};
inline constexpr HfSwitch always{"", true};
inline constexpr HfSwitch attention_bias{"attention_bias", false};
inline constexpr HfSwitch attention_bias_told{"attention_bias", false, HfTold::always};

/// A key that may only have one of these values, separated by spaces; absent is fine.
struct HfDemand {
  std::string_view key;
  std::string_view values;
};

enum class HfAttention : std::uint8_t { grouped, latent };

/// Which layers see a window of keys.
enum class HfWindows : std::uint8_t {
  none,         // a window in the file is refused
  all_layers,   // when sliding_window is a number
  flagged,      // when use_sliding_window too, from layer max_window_layers on (Qwen)
  all_flagged,  // in all layers, when use_sliding_window too (Qwen3-MoE)
  from_layer,   // from layer max_window_layers on
  alternating,  // layers 0, 2, 4, ..
  rotary        // chunks of attention_chunk_size in the layers with rotary positions (Llama 4)
};

/// Which layers are MoE layers.
enum class HfSchedule : std::uint8_t {
  every_layer,
  sparse_step,    // (i + 1) % decoder_sparse_step == 0 and not in mlp_only_layers
  after_leading,  // i >= first_k_dense_replace and moe_layer_freq, a divisor of i or a list, says so
  interleaved,    // moe_layers, or (i + 1) % interleave_moe_layer_step == 0
  index_range     // from moe_layer_start_index to moe_layer_end_index, (i + 1) % moe_layer_interval == 0
};

/// How wide the shared expert is.
enum class HfShared : std::uint8_t {
  none,
  one,    // as one routed expert
  count,  // as many routed experts as the file says
  width   // the file says
};

enum class HfMtp : std::uint8_t { refused, noted, counted };
enum class HfVision : std::uint8_t { noted, llama4 };

struct HfFamily {
  std::string_view model_type;
  std::string_view architecture;
  std::array<std::string_view, 4> also{};  // further names of the same language model

  HfAttention attention = HfAttention::grouped;
  QkNorm qk_norm = QkNorm::none;
  HfSwitch qk_norm_used = always;
  HfSwitch qkv_bias{};
  HfSwitch output_bias{};
  bool kv_heads_may_be_absent = false;     // and are then as many as heads
  bool multi_head = false;                 // a key and a value for every head
  bool head_size_is_hidden_share = false;  // head_dim is always hidden_size / heads
  std::int64_t absent_head_size = 0;       // what an absent key means; 0: hidden_size / heads
  double rotary_share = 1;                 // of a head, when no key says it
  std::int64_t absent_rotary_dim = 0;      // the same as a number; 0: by rotary_share
  bool sinks = false;
  HfWindows windows = HfWindows::none;
  std::int64_t absent_window = 0;        // what an absent key means; null is none
  std::int64_t absent_window_start = 0;  // the same of max_window_layers

  bool gated = true;
  HfSwitch mlp_bias{};
  std::string_view dense_width = "intermediate_size";
  bool absent_width_is_4_hidden = false;

  std::string_view expert_width = "";  // key of an expert's width; empty: a dense family
  HfSchedule schedule = HfSchedule::every_layer;
  std::int64_t leading_dense = 0;  // what an absent first_k_dense_replace means
  bool layer_frequency = false;    // moe_layer_freq is a key of the family's own code
  HfShared shared = HfShared::none;
  std::optional<std::int64_t> absent_shared;  // what an absent count means; none: the key is required
  bool null_shared_is_none = false;           // else null is refused
  HfSwitch shared_used = always;
  bool shared_gate = false;  // d -> 1
  bool router_bias = false;
  HfSwitch selection_bias{};
  HfSwitch expert_bias{};

  HfSwitch tied_embeddings{"tie_word_embeddings", false, HfTold::always};
  HfSwitch head_bias{};
  bool learned_positions = false;  // instead of rotary ones
  bool norm_bias = false;
  bool parallel = false;
  bool post_norms = false;

  HfMtp mtp = HfMtp::refused;
  HfVision vision = HfVision::noted;
  std::array<HfDemand, 2> demands{};
  std::array<std::string_view, 2> harmless{};  // keys that hint at a mechanism and change no matrix
};

std::span<const HfFamily> hf_dense_families();
std::span<const HfFamily> hf_qwen_families();
std::span<const HfFamily> hf_deepseek_families();
std::span<const HfFamily> hf_moe_families();

/// All of the above.
std::span<const HfFamily> hf_families();

/// The model types: "llama, mistral, ..."
std::string supported_hf_families();

}  // namespace bta
