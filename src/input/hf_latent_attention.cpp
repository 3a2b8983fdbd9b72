#include <fmt/format.h>

#include <algorithm>

#include "input/hf_file.h"
#include "input/model_shape.h"

namespace bta {
namespace {

std::int64_t read_query_rank(const HfFile& file) {
  if (file.absent("q_lora_rank")) {
    file.reader.integer("q_lora_rank", width_range);
    return 0;
  }
  return file.reader.integer("q_lora_rank", width_range, Need::optional).value_or(0);
}

/// Keys of a GroupedQueryAttention that latent attention makes redundant; compared when the rest is right.
void check_redundant(const HfFile& file, const LatentAttention& attention) {
  const bool clean = file.reader.log().clean();
  const auto check = [&](const Spellings& spellings, const std::vector<std::int64_t>& allowed,
                         std::string_view what) {
    const std::string_view key = file.spelling(spellings);
    const auto value = file.reader.integer(key, head_size_range, Need::optional);
    if (!value || !clean || std::find(allowed.begin(), allowed.end(), *value) != allowed.end()) return;
    file.reader.problem(
        key, fmt::format("'{}' is {}, but latent attention {} = {}", key, *value, what, allowed.front()));
  };
  check(hf_keys::kv_heads, {attention.heads}, "has a key and a value for every head");
  check({"qk_head_dim"}, {attention.qk_head_dim()}, "has heads of qk_nope_head_dim + qk_rope_head_dim");
  check(hf_keys::head_size,
        {attention.qk_head_dim(), attention.rope_head_dim, attention.nope_head_dim, attention.v_head_dim},
        "has heads of qk_nope_head_dim + qk_rope_head_dim");
}

}  // namespace

LatentAttention read_latent_attention(const HfFile& file) {
  Reader& reader = file.reader;
  const auto size = [&](std::string_view key) { return reader.integer(key, head_size_range).value_or(1); };
  LatentAttention attention;
  attention.heads = reader.integer(file.spelling(hf_keys::heads), head_range).value_or(1);
  attention.q_rank = read_query_rank(file);
  attention.kv_rank = reader.integer("kv_lora_rank", width_range).value_or(1);
  attention.nope_head_dim = size("qk_nope_head_dim");
  attention.rope_head_dim = size("qk_rope_head_dim");
  attention.v_head_dim = size("v_head_dim");
  attention.bias = file.is_on(file.family.qkv_bias);
  check_redundant(file, attention);
  return attention;
}

}  // namespace bta
