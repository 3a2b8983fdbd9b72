#include "report/model_layers.h"

#include <algorithm>
#include <array>

#include "model/qk_norm.h"
#include "report/positions.h"

namespace bta {
namespace {

/// Layers that have a part in common.
template <class Part>
struct Group {
  Part part;
  std::vector<std::int64_t> positions;  // from 0
  std::int64_t layers = 0;              // of the whole model
};

template <class Part>
std::vector<Group<Part>> grouped_by(const Model& model, Part Layer::*member) {
  std::vector<Group<Part>> groups;
  const auto layers = static_cast<std::int64_t>(model.layers.size());
  for (std::int64_t i = 0; i < layers; ++i) {
    const Part& part = model.layers[static_cast<std::size_t>(i)].*member;
    auto known = std::ranges::find(groups, part, &Group<Part>::part);
    if (known == groups.end()) known = groups.insert(groups.end(), {part, {}, layers});
    known->positions.push_back(i);
  }
  return groups;
}

template <class Part>
Cell count_of(const Group<Part>& g) {
  return static_cast<std::int64_t>(g.positions.size());
}
template <class Part>
Cell place_of(const Group<Part>& g) {
  return cell(positions_text(g.positions, g.layers));
}

/// Of a part that has the kind, else absent.
template <class Kind, class Part, class Value>
Cell of(const Group<Part>& g, Value value) {
  const auto* kind = std::get_if<Kind>(&g.part);
  return kind != nullptr ? Cell(value(*kind)) : Cell();
}

Cell positive(std::int64_t value) {
  return value > 0 ? cell(value) : Cell();
}
Cell mark(bool value) {
  return value ? cell(true) : Cell();
}
std::string listed(const std::vector<std::pair<bool, std::string_view>>& words) {
  std::string text;
  for (const auto& [holds, word] : words)
    if (holds) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

using A = const Group<Attention>&;
using Gqa = GroupedQueryAttention;
using Mla = LatentAttention;

Cell window(A g, bool chunked) {
  return of<Gqa>(g, [&](const Gqa& a) {
    return a.window && a.window->chunked == chunked ? cell(a.window->keys) : Cell();
  });
}
std::int64_t rotated(const Gqa& a) {
  return a.rotated();
}
std::int64_t rotated(const Mla& a) {
  return a.rope_head_dim;
}
std::int64_t qk_size(const Gqa& a) {
  return a.qk_head_dim;
}
std::int64_t qk_size(const Mla& a) {
  return a.qk_head_dim();
}
std::string biases(const Gqa& a) {
  return listed({{a.qkv_bias, "q, k, v"}, {a.output_bias, "o"}});
}
std::string biases(const Mla& a) {
  return a.bias ? "latents, o" : "";
}
std::string norm(const Gqa& a) {
  if (a.qk_norm == QkNorm::none) return "";
  std::string name(qk_norm_name(a.qk_norm));
  std::ranges::replace(name, '_', ' ');
  return name;
}

constexpr auto attention_columns = std::to_array<Column<Group<Attention>>>({
    {"", "layers", "", Look::count, count_of},
    {"", "which", "", Look::text, place_of},
    {"", "attention", "", Look::text, [](A g) { return cell(attention_name(g.part)); }},
    {"", "heads", "", Look::count, [](A g) { return cell(query_heads(g.part)); }},
    {"", "KV", "heads", Look::count, [](A g) { return of<Gqa>(g, [](const Gqa& a) { return a.kv_heads; }); }},
    {"", "q", "rank", Look::count,
     [](A g) { return of<Mla>(g, [](const Mla& a) { return positive(a.q_rank); }); }},
    {"", "KV", "rank", Look::count, [](A g) { return of<Mla>(g, [](const Mla& a) { return a.kv_rank; }); }},
    {"", "q/k", "size", Look::count,
     [](A g) { return std::visit([](const auto& a) { return cell(qk_size(a)); }, g.part); }},
    {"", "v", "size", Look::count,
     [](A g) { return std::visit([](const auto& a) { return cell(a.v_head_dim); }, g.part); }},
    {"", "rotary", "size", Look::count,
     [](A g) { return std::visit([](const auto& a) { return positive(rotated(a)); }, g.part); }},
    {"", "q/k norm", "", Look::text,
     [](A g) { return of<Gqa>(g, [](const Gqa& a) { return text_or_absent(norm(a)); }); }},
    {"", "window", "keys", Look::count, [](A g) { return window(g, false); }},
    {"", "chunk", "keys", Look::count, [](A g) { return window(g, true); }},
    {"", "sinks", "", Look::text, [](A g) { return of<Gqa>(g, [](const Gqa& a) { return mark(a.sinks); }); }},
    {"", "biases", "", Look::text,
     [](A g) { return std::visit([](const auto& a) { return text_or_absent(biases(a)); }, g.part); }},
});

using F = const Group<FeedForward>&;
std::string biases(const DenseMlp& mlp) {
  return mlp.bias ? "yes" : "";
}
std::string biases(const MoeMlp& moe) {
  return listed(
      {{moe.router_bias, "router"}, {moe.selection_bias, "selection"}, {moe.expert_bias, "experts"}});
}

constexpr auto feed_forward_columns = std::to_array<Column<Group<FeedForward>>>({
    {"", "layers", "", Look::count, count_of},
    {"", "which", "", Look::text, place_of},
    {"", "MLP", "", Look::text,
     [](F g) { return cell(std::string_view(std::holds_alternative<MoeMlp>(g.part) ? "MoE" : "dense")); }},
    {"", "experts", "", Look::count,
     [](F g) { return of<MoeMlp>(g, [](const MoeMlp& m) { return m.experts; }); }},
    {"", "top_k", "", Look::count, [](F g) { return of<MoeMlp>(g, [](const MoeMlp& m) { return m.top_k; }); }},
    {"", "width", "", Look::count,
     [](F g) { return std::visit([](const auto& m) { return cell(m.width); }, g.part); }},
    {"", "shared", "width", Look::count,
     [](F g) { return of<MoeMlp>(g, [](const MoeMlp& m) { return positive(m.shared_width); }); }},
    {"", "shared", "gate", Look::text,
     [](F g) { return of<MoeMlp>(g, [](const MoeMlp& m) { return mark(m.shared_gate); }); }},
    {"", "matrices", "", Look::text,
     [](F g) {
       const bool gated = std::visit([](const auto& m) { return m.gated; }, g.part);
       return cell(std::string_view(gated ? "gate, up, down" : "up, down"));
     }},
    {"", "biases", "", Look::text,
     [](F g) { return std::visit([](const auto& m) { return text_or_absent(biases(m)); }, g.part); }},
});

}  // namespace

std::string_view attention_name(const Attention& attention) {
  const auto* known = std::get_if<Gqa>(&attention);
  if (known == nullptr) return "MLA";
  return known->kv_heads == known->heads ? "MHA" : known->kv_heads == 1 ? "MQA" : "GQA";
}

TextGrid attention_table(const Model& model) {
  return text_grid<Group<Attention>>(attention_columns, grouped_by(model, &Layer::attention));
}

TextGrid feed_forward_table(const Model& model) {
  return text_grid<Group<FeedForward>>(feed_forward_columns, grouped_by(model, &Layer::feed_forward));
}

}  // namespace bta
