// Queries, keys and values of grouped-query attention, and the way back through them. Part of
// attention_forward.cpp and attention_backward.cpp.
#pragma once

#include "executor/attention_layer.h"

namespace bta::executor {

template <class Scalar>
class GroupedQuery {
 public:
  GroupedQuery(AttentionLayer<Scalar>& layer, const GroupedQueryAttention& attention)
      : at_(layer),
        a_(attention),
        q_proj_(at_.find("q_proj")),
        k_proj_(at_.find("k_proj")),
        v_proj_(at_.find("v_proj")) {
    if (normed()) qk_norm_ = at_.find("qk_norm");
  }

  /// scales: of the q/k norm, only where the backward pass needs them.
  struct Projected {
    Tensor<Scalar> q, k, v, scales;
    AttentionTensors<Scalar> with(Tensor<Scalar>& context, std::vector<Tensor<Scalar>>& scores) {
      return {q.data, k.data, v.data, context.data, scores};
    }
    /// Forward, what the scores do not need; backward, what the gradients after them do not.
    void release_before_scores() {}
    void release_scored() { *this = {}; }
  };
  struct Gradients {
    Tensor<Scalar> q, k, v;
    AttentionGradients<Scalar> with(Tensor<Scalar>& dcontext, Scalar* sinks) {
      return {dcontext.data, q.data, k.data, v.data, nullptr, sinks};
    }
  };

  /// [2] q, k, v of one tile, forward or (keep) for its gradients.
  Projected project(StageBuffer<Scalar>& weights, Tensor<Scalar>& normed, bool keep) {
    Run<Scalar>& run = at_.run;
    const std::int64_t t = run.tile();
    Projected p{run.activations("q", t, q_width()),
                run.activations("k", t, k_width()),
                run.activations("v", t, v_width()),
                {}};
    if (this->normed() && keep)
      p.scales = run.tensor("q/k norm scales", t, q_groups() + k_groups(), wide_bytes);
    executor::project<Scalar>(at_, q_proj_, weights, {normed.data}, {p.q.data});
    executor::project<Scalar>(at_, k_proj_, weights, {normed.data}, {p.k.data});
    executor::project<Scalar>(at_, v_proj_, weights, {normed.data}, {p.v.data});
    if (this->normed()) norm_queries_and_keys(p);
    if (at_.rotates()) run.machine.forward(at_.rotary, t);
    return p;
  }

  AttentionGains<Scalar> gains(StageBuffer<Scalar>& weights) const {
    AttentionGains<Scalar> result;
    if (a_.sinks) result.sinks = weights.gain("softmax");
    if (a_.qk_norm != QkNorm::per_head && a_.qk_norm != QkNorm::projection) return result;
    result.queries = weights.gain("qk_norm");
    if (result.queries != nullptr) result.keys = result.queries + (per_head() ? a_.qk_head_dim : q_width());
    return result;
  }

  /// [3] Room for the gradients.
  Gradients gradients() {
    Run<Scalar>& run = at_.run;
    const std::int64_t t = run.tile();
    return {run.activations("q gradient", t, q_width()),
            run.zeros("k gradient", t, k_width(), run.activation()),
            run.zeros("v gradient", t, v_width(), run.activation())};
  }

  /// [3] Back through rotary embedding and q/k norm, in place, while q and k are there.
  void unrotate_and_unnorm(StageBuffer<Scalar>& weights, StageBuffer<Scalar>& gradients, Projected& p,
                           Gradients& d) {
    Run<Scalar>& run = at_.run;
    if (at_.rotates()) run.machine.both_gradients(at_.rotary, run.tile());
    if (normed()) run.machine.both_gradients(qk_norm_, run.tile());
    if (!run.with_data()) return;
    unrotate<Scalar>(at_.table, d.q.data, a_.qk_head_dim, 0);
    unrotate<Scalar>(at_.table, d.k.data, a_.qk_head_dim, 0);
    if (!normed()) return;
    const AttentionGains<Scalar> gain = gains(weights), dgain = gains(gradients);
    norm_heads_gradient<Scalar>(p.q.data, q_width() / q_groups(), p.scales.data, 0, gain.queries, d.q.data,
                                dgain.queries, per_head());
    norm_heads_gradient<Scalar>(p.k.data, k_width() / k_groups(), p.scales.data, q_groups(), gain.keys,
                                d.k.data, dgain.keys, per_head());
  }

  /// [4] Weight gradients, and that of the normed input.
  void input_gradients(StageBuffer<Scalar>& weights, StageBuffer<Scalar>& gradients, Tensor<Scalar>& normed,
                       Projected&, Gradients& d, Tensor<Scalar>& dnormed) {
    weight_gradient<Scalar>(at_, q_proj_, gradients, {normed.data}, {d.q.data});
    weight_gradient<Scalar>(at_, k_proj_, gradients, {normed.data}, {d.k.data});
    weight_gradient<Scalar>(at_, v_proj_, gradients, {normed.data}, {d.v.data});
    input_gradient<Scalar>(at_, q_proj_, weights, {d.q.data}, {dnormed.data}, Write::over);
    input_gradient<Scalar>(at_, k_proj_, weights, {d.k.data}, {dnormed.data}, Write::add);
    input_gradient<Scalar>(at_, v_proj_, weights, {d.v.data}, {dnormed.data}, Write::add);
  }

 private:
  bool normed() const { return a_.qk_norm != QkNorm::none; }
  /// One gain, if any, for all heads; else groups of the norm are whole projections.
  bool per_head() const { return a_.qk_norm != QkNorm::projection; }
  std::int64_t q_width() const { return a_.heads * a_.qk_head_dim; }
  std::int64_t k_width() const { return a_.kv_heads * a_.qk_head_dim; }
  std::int64_t v_width() const { return a_.kv_heads * a_.v_head_dim; }
  std::int64_t q_groups() const { return per_head() ? a_.heads : 1; }
  std::int64_t k_groups() const { return per_head() ? a_.kv_heads : 1; }

  void norm_queries_and_keys(Projected& p) {
    Run<Scalar>& run = at_.run;
    run.machine.forward(qk_norm_, run.tile());
    Matrix<Scalar>* const scales = p.scales.data.size() == 0 ? nullptr : &p.scales.data;
    if (!run.with_data()) return;
    norm_heads<Scalar>(p.q.data, q_width() / q_groups(), scales, 0);
    norm_heads<Scalar>(p.k.data, k_width() / k_groups(), scales, q_groups());
  }

  AttentionLayer<Scalar>& at_;
  const GroupedQueryAttention& a_;
  OperatorRef q_proj_, k_proj_, v_proj_, qk_norm_;
};

}  // namespace bta::executor
