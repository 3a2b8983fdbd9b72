// The kinds of attention that the schedule runs. A new kind is a new class like those two.
#pragma once

#include "executor/grouped_query.h"
#include "executor/latent_attention.h"

namespace bta::executor {

template <class Scalar>
GroupedQuery<Scalar> attention_kind(AttentionLayer<Scalar>& at, const GroupedQueryAttention& attention) {
  return {at, attention};
}
template <class Scalar>
Latent<Scalar> attention_kind(AttentionLayer<Scalar>& at, const LatentAttention& attention) {
  return {at, attention};
}

/// Calls body(AttentionLayer&, kind&) for the attention of a layer.
template <class Scalar>
void with_attention(Run<Scalar>& run, std::size_t layer, const auto& body) {
  std::visit(
      [&](const auto& attention) {
        AttentionLayer<Scalar> at(run, layer, head_layout(attention));
        auto kind = attention_kind(at, attention);
        body(at, kind);
      },
      run.layer(layer).attention);
}

}  // namespace bta::executor
