#include "model/model.h"

#include <algorithm>

#include "base/count.h"

namespace bta {

std::int64_t Window::first_key(std::int64_t query) const {
  return chunked ? query / keys * keys : std::max<std::int64_t>(0, query + 1 - keys);
}

std::int64_t Window::pairs(std::int64_t seq_len) const {
  const auto triangle = [](std::int64_t n) { return product(n, n + 1) / 2; };
  if (chunked) return checked_add(product(seq_len / keys, triangle(keys)), triangle(seq_len % keys));
  const std::int64_t most = std::min(keys, seq_len);
  return checked_add(triangle(most), product(seq_len - most, most));
}

std::int64_t query_heads(const Attention& attention) {
  return std::visit([](const auto& a) { return a.heads; }, attention);
}

std::vector<LayerKind> layer_kinds(const Model& model) {
  std::vector<LayerKind> kinds;
  std::int64_t depth = 0;
  for (const Layer& layer : model.layers) {
    ++depth;
    auto known = std::ranges::find(kinds, layer, &LayerKind::layer);
    if (known == kinds.end()) known = kinds.insert(kinds.end(), LayerKind{layer, 0, 0});
    ++known->count;
    known->deepest = depth;
  }
  return kinds;
}

const MoeMlp* moe_of(const Model& model) {
  for (const Layer& layer : model.layers)
    if (const auto* moe = std::get_if<MoeMlp>(&layer.feed_forward)) return moe;
  return nullptr;
}

std::int64_t moe_layers(const Model& model) {
  return std::ranges::count_if(
      model.layers, [](const Layer& layer) { return std::holds_alternative<MoeMlp>(layer.feed_forward); });
}

Model dense_equivalent(const Model& model) {
  Model dense = model;
  for (Layer& layer : dense.layers)
    if (const auto* moe = std::get_if<MoeMlp>(&layer.feed_forward))
      layer.feed_forward = DenseMlp{.width = moe->top_k * moe->width + moe->shared_width,
                                    .gated = moe->gated,
                                    .bias = moe->expert_bias};
  return dense;
}

Model with_experts(const Model& model, std::int64_t experts, std::int64_t top_k, std::int64_t width) {
  Model changed = model;
  for (Layer& layer : changed.layers)
    if (auto* moe = std::get_if<MoeMlp>(&layer.feed_forward)) {
      moe->experts = experts;
      moe->top_k = top_k;
      moe->width = width;
    }
  return changed;
}

}  // namespace bta
