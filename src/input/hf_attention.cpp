#include <fmt/format.h>

#include <algorithm>

#include "input/hf_file.h"
#include "input/model_shape.h"
#include "input/quoted.h"

namespace bta {
namespace {

Heads read_head_counts(const HfFile& file, std::optional<std::int64_t> hidden) {
  const HeadKeys keys{file.spelling(hf_keys::hidden), file.spelling(hf_keys::heads),
                      file.spelling(hf_keys::kv_heads), file.spelling(hf_keys::head_size)};
  if (!file.family.kv_heads_may_be_absent && file.absent(keys.kv_heads))
    file.reader.integer(keys.kv_heads, head_range);
  const auto known = read_heads(file.reader, keys, hidden, file.notes);
  const Heads heads = known.value_or(Heads{});
  if (known && hidden && file.family.head_size_is_hidden_share && heads.head_size * heads.heads != *hidden) {
    file.reader.problem(keys.head_size, fmt::format("'{}' is {}, but {} always uses {} / {} = {}",
                                                    keys.head_size, heads.head_size, file.family.model_type,
                                                    keys.hidden, keys.heads, *hidden / heads.heads));
  }
  if (file.family.multi_head && heads.kv_heads != heads.heads)
    file.reader.problem(keys.kv_heads,
                        fmt::format("'{}' is {}, but {} has a key and a value for each of {} heads",
                                    keys.kv_heads, heads.kv_heads, file.family.model_type, heads.heads));
  return heads;
}

/// partial_rotary_factor, which newer files keep in rope_parameters.
std::optional<double> read_rotary_share(const HfFile& file) {
  constexpr RealRange share{0, 1};
  if (file.reader.has("partial_rotary_factor"))
    return file.reader.real("partial_rotary_factor", share, Need::optional);
  const Node* const parameters = file.reader.take("rope_parameters");
  if (parameters == nullptr) return {};
  if (parameters->kind != Node::Kind::map) {
    file.reader.problem("rope_parameters", shown(*parameters) + " stands where a map of keys is needed");
    return {};
  }
  Reader nested(*parameters, "rope_parameters", {}, file.reader.log());
  return nested.real("partial_rotary_factor", share, Need::optional);
}

/// What the family takes when neither key is there; more than none and less than the whole head is noted.
std::int64_t absent_rotary_dim(const HfFile& file, std::int64_t head_size) {
  const HfFamily& family = file.family;
  if (family.absent_rotary_dim > 0 && file.absent("rotary_dim"))
    return std::min(head_size, file.integer_or("rotary_dim", {0, head_size}, family.absent_rotary_dim));
  if (family.rotary_share < 1)
    file.note(
        fmt::format("partial_rotary_factor is absent: {} takes {}", family.model_type, family.rotary_share));
  return static_cast<std::int64_t>(family.rotary_share * static_cast<double>(head_size));
}

/// Absent: the whole head.
std::optional<std::int64_t> read_rotary_dim(const HfFile& file, std::int64_t head_size) {
  if (file.family.learned_positions) return 0;
  const std::optional<double> share = read_rotary_share(file);
  const auto whole = static_cast<double>(head_size);
  std::optional<std::int64_t> dim;
  if (share) dim = static_cast<std::int64_t>(*share * whole);
  const auto named = file.reader.integer("rotary_dim", {0, head_size}, Need::optional);
  if (named && dim && *named != *dim) {
    file.reader.problem("rotary_dim", fmt::format("'rotary_dim' is {} but 'partial_rotary_factor' of a head "
                                                  "is {}; they mean the same, so they must be equal or one "
                                                  "must go",
                                                  *named, *dim));
  }
  const std::int64_t used = named ? *named : dim ? *dim : absent_rotary_dim(file, head_size);
  return used == head_size ? std::nullopt : std::optional(used);
}

GroupedQueryAttention read_grouped_attention(const HfFile& file, std::optional<std::int64_t> hidden) {
  const HfFamily& family = file.family;
  const Heads heads = read_head_counts(file, hidden);
  GroupedQueryAttention attention;
  attention.heads = heads.heads;
  attention.kv_heads = heads.kv_heads;
  attention.qk_head_dim = attention.v_head_dim = heads.head_size;
  if (family.qk_norm != QkNorm::none && file.is_on(family.qk_norm_used)) attention.qk_norm = family.qk_norm;
  attention.qkv_bias = file.is_on(family.qkv_bias);
  attention.output_bias = file.is_on(family.output_bias);
  attention.rotary_dim = read_rotary_dim(file, heads.head_size);
  attention.sinks = family.sinks;
  return attention;
}

/// Llama 4: every 4th layer has no rotary positions. null and [] are as absent.
std::vector<bool> read_rotary_layers(const HfFile& file, std::int64_t layers) {
  std::vector<bool> rotary(static_cast<std::size_t>(layers), true);
  if (file.family.windows != HfWindows::rotary) return rotary;
  const Node* const listed = file.reader.take("no_rope_layers");
  if (listed != nullptr && (listed->kind != Node::Kind::sequence || !listed->children.empty())) {
    file.reader.take("no_rope_layer_interval");
    return read_flags(file, "no_rope_layers", layers);
  }
  const std::int64_t interval = file.integer_or("no_rope_layer_interval", layer_range, 4);
  for (std::size_t i = 0; i < rotary.size(); ++i)
    rotary[i] = (static_cast<std::int64_t>(i) + 1) % interval != 0;
  return rotary;
}

}  // namespace

std::vector<Attention> read_attentions(const HfFile& file, std::optional<std::int64_t> hidden,
                                       std::int64_t layers) {
  const auto count = static_cast<std::size_t>(layers);
  if (file.family.attention == HfAttention::latent) {
    read_windows(file, std::vector<bool>(count, true));
    return std::vector<Attention>(count, read_latent_attention(file));
  }
  const GroupedQueryAttention base = read_grouped_attention(file, hidden);
  const std::vector<bool> rotary = read_rotary_layers(file, layers);
  const Windows windows = read_windows(file, rotary);
  std::vector<Attention> attentions;
  for (std::size_t i = 0; i < count; ++i) {
    GroupedQueryAttention attention = base;
    attention.window = windows[i];
    if (!rotary[i]) attention.rotary_dim = 0;
    if (!rotary[i]) attention.qk_norm = QkNorm::none;
    attentions.emplace_back(attention);
  }
  return attentions;
}

}  // namespace bta
