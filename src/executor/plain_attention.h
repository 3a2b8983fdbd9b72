// Attention of the plain step, token by token over a Scalar that is double or Var. Every kind comes down to
// one query, key and value for each head of each token.
#pragma once

#include <cmath>
#include <utility>

#include "executor/plain_parts.h"

namespace bta::executor::plain {

inline constexpr double rotary_base = 10000;

/// Rotates, of each head of `dim` elements, `count` from `first` on: element j with element j + count/2; an
/// odd last one stays.
template <class Scalar>
void rotate(Row<Scalar>& x, std::size_t dim, std::size_t first, std::size_t count, std::size_t position) {
  const std::size_t half = count / 2;
  for (std::size_t j = 0; j < half; ++j) {
    const double exponent = -2 * static_cast<double>(j) / static_cast<double>(count);
    const double angle = static_cast<double>(position) * std::pow(rotary_base, exponent);
    const Scalar cosine = std::cos(angle), sine = std::sin(angle);
    for (std::size_t at = first + j; at < x.size(); at += dim) {
      const Scalar low = x[at], high = x[at + half];
      x[at] = low * cosine - high * sine;
      x[at + half] = high * cosine + low * sine;
    }
  }
}

/// Of all tokens: [token][head * dim].
template <class Scalar>
struct Heads {
  std::size_t heads = 0, kv_heads = 0, dqk = 0, dv = 0;
  std::optional<Window> window;
  Row<Scalar> sinks;  // of every head, or none
  Rows<Scalar> q, k, v;
};

template <class Scalar>
Row<Scalar> as_row(std::span<const Scalar> values) {
  return {values.begin(), values.end()};
}

/// A norm of each run of `width` elements; no gains: 1.
template <class Scalar>
Row<Scalar> norm_runs(const Row<Scalar>& x, std::size_t width, std::span<const Scalar> gains) {
  const Row<Scalar> ones(width, Scalar(1.0));
  return rms_norm(x, gains.empty() ? std::span<const Scalar>(ones) : gains);
}

template <class Scalar>
void norm_queries_and_keys(const GroupedQueryAttention& a, const Parameters<Scalar>& parameters,
                           Row<Scalar>& q, Row<Scalar>& k) {
  const bool whole = a.qk_norm == QkNorm::projection;
  const std::size_t q_width = whole ? q.size() : index(a.qk_head_dim);
  std::span<const Scalar> gains;
  if (a.qk_norm != QkNorm::unit) gains = parameters.gains("qk_norm");
  const std::size_t split = std::min(gains.size(), q_width);
  q = norm_runs(q, q_width, gains.first(split));
  k = norm_runs(k, whole ? k.size() : q_width, gains.subspan(split));
}

template <class Scalar>
Heads<Scalar> heads_of(const GroupedQueryAttention& a, const Parameters<Scalar>& parameters,
                       const Rows<Scalar>& x, std::size_t seq_len) {
  const std::size_t dim = index(a.qk_head_dim);
  Heads<Scalar> result{index(a.heads), index(a.kv_heads), dim, index(a.v_head_dim), a.window, {}, {}, {}, {}};
  if (a.sinks) result.sinks = as_row(parameters.gains("softmax"));
  for (std::size_t t = 0; t < x.size(); ++t) {
    const Row<Scalar> normed = parameters.norm("attention_norm", x[t]);
    Row<Scalar> q = parameters.linear("q_proj", normed), k = parameters.linear("k_proj", normed);
    if (a.qk_norm != QkNorm::none) norm_queries_and_keys(a, parameters, q, k);
    rotate(q, dim, 0, index(a.rotated()), t % seq_len);
    rotate(k, dim, 0, index(a.rotated()), t % seq_len);
    result.q.push_back(q);
    result.k.push_back(k);
    result.v.push_back(parameters.linear("v_proj", normed));
  }
  return result;
}

template <class Scalar>
Row<Scalar> part(const Row<Scalar>& x, std::size_t first, std::size_t count) {
  return as_row(std::span(x).subspan(first, count));
}

template <class Scalar>
void append(Row<Scalar>& x, const Row<Scalar>& y) {
  x.insert(x.end(), y.begin(), y.end());
}

/// Keys and values of every head from a token's latent: own key, then the shared one; values after all own
/// keys.
template <class Scalar>
void expand(Heads<Scalar>& heads, const Row<Scalar>& own_keys_and_values, const Row<Scalar>& shared_key) {
  const std::size_t own = heads.dqk - shared_key.size();
  Row<Scalar> keys;
  for (std::size_t head = 0; head < heads.heads; ++head) {
    append(keys, part(own_keys_and_values, head * own, own));
    append(keys, shared_key);
  }
  heads.k.push_back(keys);
  heads.v.push_back(part(own_keys_and_values, heads.heads * own, heads.heads * heads.dv));
}

template <class Scalar>
Heads<Scalar> heads_of(const LatentAttention& a, const Parameters<Scalar>& parameters, const Rows<Scalar>& x,
                       std::size_t seq_len) {
  const std::size_t rope = index(a.rope_head_dim), rank = index(a.kv_rank);
  Heads<Scalar> result{index(a.heads),
                       index(a.heads),
                       index(a.qk_head_dim()),
                       index(a.v_head_dim),
                       std::nullopt,
                       {},
                       {},
                       {},
                       {}};
  for (std::size_t t = 0; t < x.size(); ++t) {
    const Row<Scalar> normed = parameters.norm("attention_norm", x[t]);
    Row<Scalar> q = a.q_rank == 0
                        ? parameters.linear("q_proj", normed)
                        : parameters.linear(
                              "q_b_proj", parameters.norm("q_a_norm", parameters.linear("q_a_proj", normed)));
    const Row<Scalar> latent = parameters.linear("kv_a_proj", normed);
    Row<Scalar> shared = part(latent, rank, rope);
    rotate(q, result.dqk, index(a.nope_head_dim), rope, t % seq_len);
    rotate(shared, rope, 0, rope, t % seq_len);
    result.q.push_back(q);
    expand(result, parameters.linear("kv_b_proj", parameters.norm("kv_a_norm", part(latent, 0, rank))),
           shared);
  }
  return result;
}

/// softmax(q.k / sqrt(dqk)) v of every head of query `t`, over the keys first..t and the head's sink.
template <class Scalar>
Row<Scalar> context_of(const Heads<Scalar>& p, std::size_t first, std::size_t t) {
  Row<Scalar> context(p.heads * p.dv, Scalar(0.0));
  for (std::size_t head = 0; head < p.heads; ++head) {
    const std::size_t kv_head = head / (p.heads / p.kv_heads);
    Row<Scalar> scores;
    for (std::size_t key = first; key <= t; ++key) {
      Scalar dot = 0.0;
      for (std::size_t i = 0; i < p.dqk; ++i) dot += p.q[t][head * p.dqk + i] * p.k[key][kv_head * p.dqk + i];
      scores.push_back(dot / Scalar(std::sqrt(static_cast<double>(p.dqk))));
    }
    if (!p.sinks.empty()) scores.push_back(p.sinks[head]);
    const Row<Scalar> probabilities = softmax(scores);
    for (std::size_t key = first; key <= t; ++key) {
      for (std::size_t i = 0; i < p.dv; ++i)
        context[head * p.dv + i] += probabilities[key - first] * p.v[key][kv_head * p.dv + i];
    }
  }
  return context;
}

/// Keys that the query at this position sees.
inline std::size_t visible_keys(const std::optional<Window>& window, std::size_t position) {
  if (!window) return position + 1;
  const std::size_t keys = index(window->keys);
  return window->chunked ? position % keys + 1 : std::min(position + 1, keys);
}

template <class Scalar>
Rows<Scalar> attention_of(const Attention& attention, const Parameters<Scalar>& parameters,
                          const Rows<Scalar>& x, std::size_t seq_len) {
  const Heads<Scalar> heads =
      std::visit([&](const auto& a) { return heads_of(a, parameters, x, seq_len); }, attention);
  Rows<Scalar> result;
  for (std::size_t t = 0; t < x.size(); ++t) {
    const std::size_t first = t + 1 - visible_keys(heads.window, t % seq_len);
    result.push_back(parameters.linear("o_proj", context_of(heads, first, t)));
  }
  return result;
}

}  // namespace bta::executor::plain
