// What this project's YAML and a config.json have in common: the sane range of every dimension, and
// the head counts with the two values that may be derived.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/number.h"
#include "input/reader.h"
#include "model/model.h"

namespace bta {

// Far above any published model, and low enough that products of a few of them fit 64 bits.
constexpr IntegerRange hidden_range{1, std::int64_t{1} << 20};
constexpr IntegerRange width_range{1, std::int64_t{1} << 22};
constexpr IntegerRange layer_range{1, std::int64_t{1} << 12};
constexpr IntegerRange head_range{1, std::int64_t{1} << 12};
constexpr IntegerRange head_size_range{1, std::int64_t{1} << 16};
constexpr IntegerRange expert_range{1, std::int64_t{1} << 16};
constexpr IntegerRange window_range{1, std::int64_t{1} << 31};
constexpr IntegerRange vocabulary_range{1, std::int64_t{1} << 24};
constexpr IntegerRange part_range{1, std::int64_t{1} << 53};  // parameters counted apart

/// How a format spells the keys of attention.
struct HeadKeys {
  std::string_view hidden, heads, kv_heads, head_size;
};

struct Heads {
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t head_size = 1;
};

/// Query heads, KV heads (absent: as many as query heads) and head size (absent: hidden / heads,
/// which must be whole); what was derived is added to `notes`. Absent when something is wrong.
std::optional<Heads> read_heads(Reader& reader, const HeadKeys& keys, std::optional<std::int64_t> hidden,
                                std::vector<std::string>& notes);

/// Experts a token visits: at most as many as there are.
std::optional<std::int64_t> read_top_k(Reader& reader, std::string_view key, std::string_view experts_key,
                                       std::optional<std::int64_t> experts);

}  // namespace bta
