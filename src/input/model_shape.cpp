#include "input/model_shape.h"

#include <fmt/format.h>

namespace bta {
namespace {

std::optional<std::int64_t> derived_kv_heads(Reader& reader, const HeadKeys& keys,
                                             std::optional<std::int64_t> heads,
                                             std::vector<std::string>& notes) {
  reader.take(keys.kv_heads);
  if (heads)
    notes.push_back(fmt::format("{} is absent: taken as {} = {}", keys.kv_heads, keys.heads, *heads));
  return heads;
}

std::optional<std::int64_t> derived_head_size(Reader& reader, const HeadKeys& keys,
                                              std::optional<std::int64_t> hidden,
                                              std::optional<std::int64_t> heads,
                                              std::vector<std::string>& notes) {
  reader.take(keys.head_size);
  if (!hidden || !heads) return {};
  if (*hidden % *heads != 0) {
    reader.problem(keys.head_size,
                   fmt::format("'{}' is absent and cannot be derived: {} = {} is not a multiple of {} = {}",
                               keys.head_size, keys.hidden, *hidden, keys.heads, *heads));
    return {};
  }
  const std::int64_t size = *hidden / *heads;
  notes.push_back(
      fmt::format("{} is absent: taken as {} / {} = {}", keys.head_size, keys.hidden, keys.heads, size));
  return size;
}

}  // namespace

std::optional<Heads> read_heads(Reader& reader, const HeadKeys& keys, std::optional<std::int64_t> hidden,
                                std::vector<std::string>& notes) {
  const auto heads = reader.integer(keys.heads, head_range);
  const auto kv_heads = reader.has(keys.kv_heads) ? reader.integer(keys.kv_heads, head_range)
                                                  : derived_kv_heads(reader, keys, heads, notes);
  const auto head_size = reader.has(keys.head_size) ? reader.integer(keys.head_size, head_size_range)
                                                    : derived_head_size(reader, keys, hidden, heads, notes);
  if (heads && kv_heads && *heads % *kv_heads != 0) {
    reader.problem(keys.kv_heads, fmt::format("{} = {} does not divide {} = {}", keys.kv_heads, *kv_heads,
                                              keys.heads, *heads));
    return {};
  }
  if (!heads || !kv_heads || !head_size) return {};
  return Heads{*heads, *kv_heads, *head_size};
}

std::optional<std::int64_t> read_top_k(Reader& reader, std::string_view key, std::string_view experts_key,
                                       std::optional<std::int64_t> experts) {
  const auto top_k = reader.integer(key, expert_range);
  if (!top_k || !experts || *top_k <= *experts) return top_k;
  reader.problem(key, fmt::format("{} = {} is more than {} = {}", key, *top_k, experts_key, *experts));
  return {};
}

}  // namespace bta
