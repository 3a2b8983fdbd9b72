#include "verify/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "model/parameters.h"

namespace bta::verify {
namespace {

constexpr std::int64_t hidden = 32, head_dim = 8, latent_rank = 10, width = 20, shared_width = 12,
                       dense_width = 28, vocabulary = 61;
constexpr std::int64_t most_experts = 12, most_top_k = 3, rows = 7, columns = 5, seq_len = 8, chunk = 40;

Attention scaled(const GroupedQueryAttention& full) {
  GroupedQueryAttention small = full;
  small.kv_heads = std::min<std::int64_t>(full.kv_heads, 2);
  small.heads = small.kv_heads * std::min<std::int64_t>(full.heads / full.kv_heads, 2);
  small.qk_head_dim = head_dim;
  small.v_head_dim = full.v_head_dim == full.qk_head_dim ? head_dim : head_dim - 2;
  if (full.rotary_dim) small.rotary_dim = std::min<std::int64_t>(*full.rotary_dim, head_dim / 2);
  if (full.window) small.window->keys = std::min<std::int64_t>(full.window->keys, 5);
  return small;
}

Attention scaled(const LatentAttention& full) {
  LatentAttention small = full;
  small.heads = std::min<std::int64_t>(full.heads, 4);
  small.q_rank = std::min(full.q_rank, latent_rank);
  small.kv_rank = std::min(full.kv_rank, latent_rank - 2);
  small.nope_head_dim = std::min<std::int64_t>(full.nope_head_dim, head_dim / 2 + 1);
  small.rope_head_dim = std::min<std::int64_t>(full.rope_head_dim, head_dim / 2);
  small.v_head_dim = head_dim - 2;
  return small;
}

FeedForward scaled(const DenseMlp& full) {
  DenseMlp small = full;
  small.width = dense_width;
  return small;
}

FeedForward scaled(const MoeMlp& full) {
  MoeMlp small = full;
  small.experts = std::min(full.experts, most_experts);
  small.top_k = full.top_k == full.experts ? small.experts
                                           : std::min(full.top_k, std::min(most_top_k, small.experts - 1));
  small.width = width;
  small.shared_width = full.shared_width == 0 ? 0 : shared_width;
  return small;
}

Layer scaled(const Layer& full) {
  Layer small = full;
  small.attention = std::visit([](const auto& attention) { return scaled(attention); }, full.attention);
  small.feed_forward = std::visit([](const auto& mlp) { return scaled(mlp); }, full.feed_forward);
  return small;
}

double parameters_per_column(const Problem& problem) {
  double parameters = 0;
  for (const ProblemLayer& layer : problem.layers)
    for (const Operator& op : layer.operators) parameters += as_double(op.parameters);
  return parameters / as_double(static_cast<std::int64_t>(problem.layers.size())) /
         as_double(problem.wafer.columns);
}

Wafer scaled(const Wafer& full) {
  Wafer small = full;
  small.rows = std::min(full.rows, rows);
  small.columns = std::min(full.columns, columns);
  small.attention_block_rows = std::min<std::int64_t>(full.attention_block_rows, 3);
  if (full.score_heads) small.score_heads = std::min<std::int64_t>(*full.score_heads, 3);
  const double share = as_double(small.columns) / as_double(full.columns);
  small.stream_in_bytes_per_s *= share;
  small.stream_out_bytes_per_s *= share;
  return small;
}

/// Integral of the descending profile from `begin` to `end`, in experts.
double tokens_between(const std::vector<double>& profile, double begin, double end) {
  double tokens = 0;
  for (std::size_t e = 0; e < profile.size(); ++e) {
    const double from = static_cast<double>(e), to = from + 1;
    tokens += profile[e] * std::max(0.0, std::min(to, end) - std::max(from, begin));
  }
  return tokens;
}

std::vector<double> resampled(std::vector<double> profile, std::int64_t experts, std::int64_t top_k) {
  std::ranges::sort(profile, std::greater{});
  const double least =
      *std::ranges::find_if(profile.rbegin(), profile.rend(), [](double t) { return t > 0; });
  const double stretch = static_cast<double>(profile.size()) / as_double(experts);
  std::vector<double> tokens;
  for (std::int64_t e = 0; e < experts; ++e) {
    const double share = tokens_between(profile, as_double(e) * stretch, as_double(e + 1) * stretch);
    tokens.push_back(e < top_k ? std::max(share, least) : share);
  }
  return tokens;
}

}  // namespace

Routing scaled_routing(const Routing& routing, std::int64_t experts, std::int64_t top_k) {
  const auto* measured = std::get_if<MeasuredRouting>(&routing);
  if (measured == nullptr || static_cast<std::int64_t>(measured->tokens_per_expert.size()) == experts)
    return routing;
  MeasuredRouting small = *measured;
  small.tokens_per_expert = resampled(small.tokens_per_expert, experts, top_k);
  return small;
}

Model scaled_model(const Model& model) {
  Model small;
  small.name = "scaled " + model.name;
  small.hidden = std::min(model.hidden, hidden);
  small.vocabulary = std::min(model.vocabulary, vocabulary);
  small.tied_embeddings = model.tied_embeddings;
  small.norm_bias = model.norm_bias;
  small.head_bias = model.head_bias;
  for (const LayerKind& kind : layer_kinds(model)) small.layers.push_back(scaled(kind.layer));
  if (small.layers.size() == 1 && model.layers.size() > 1) small.layers.push_back(small.layers.front());
  return small;
}

Problem scaled_problem(const Problem& full) {
  Workload workload = full.workload;
  workload.seq_len = std::min(full.workload.seq_len, seq_len);
  workload.head_chunk = chunk;
  Model model = scaled_model(full.model);
  if (const MoeMlp* moe = moe_of(model))
    workload.routing = scaled_routing(workload.routing, moe->experts, moe->top_k);
  Problem small = make_problem(std::move(model), scaled(full.wafer), workload);
  const double share = parameters_per_column(small) / parameters_per_column(full);
  small.wafer.layer_overhead_s *= share;
  small.wafer.tile_overhead_s *= share;
  small.wafer.expert_overhead_s *= share;
  return small;
}

std::string scale_note(const Problem& full) {
  const Problem small = scaled_problem(full);
  return fmt::format(
      "{} runs scaled down: {} of {} layers (each kind), d {} for {}, V {} for {}, S {} for {}, on {} x {} "
      "for {} x {} "
      "cores with streams and overheads in proportion",
      full.model.name, small.model.layers.size(), full.model.layers.size(), small.model.hidden,
      full.model.hidden, small.model.vocabulary, full.model.vocabulary, small.workload.seq_len,
      full.workload.seq_len, small.wafer.rows, small.wafer.columns, full.wafer.rows, full.wafer.columns);
}

}  // namespace bta::verify
