// Queries, keys and values of multi-head latent attention, and the way back through them. `k and v` holds the
// part of every head's key that is not rotated, then every head's value; the rotated part is shared and stays
// at the end of the kv latent. Part of attention_forward.cpp and attention_backward.cpp.
#pragma once

#include "executor/attention_layer.h"

namespace bta::executor {

template <class Scalar>
class Latent {
 public:
  Latent(AttentionLayer<Scalar>& layer, const LatentAttention& attention)
      : at_(layer),
        a_(attention),
        kv_a_proj_(at_.find("kv_a_proj")),
        kv_a_norm_(at_.find("kv_a_norm")),
        kv_b_proj_(at_.find("kv_b_proj")) {
    if (!has_q_latent()) {
      q_proj_ = at_.find("q_proj");
      return;
    }
    q_a_proj_ = at_.find("q_a_proj");
    q_a_norm_ = at_.find("q_a_norm");
    q_proj_ = at_.find("q_b_proj");
  }

  /// Forward the latents are normed in place; their gradients need them as they were, too.
  struct Projected {
    Tensor<Scalar> q_latent, normed_q_latent, kv_latent, normed_kv_latent, q, kv;
    AttentionTensors<Scalar> with(Tensor<Scalar>& context, std::vector<Tensor<Scalar>>& scores) {
      return {q.data, kv.data, kv.data, context.data, scores, &kv_latent.data};
    }
    void release_before_scores() { q_latent.release(); }
    void release_scored() {
      q.release();
      kv.release();
    }
  };
  struct Gradients {
    Tensor<Scalar> q, kv, kv_latent;
    AttentionGradients<Scalar> with(Tensor<Scalar>& dcontext, Scalar* sinks) {
      return {dcontext.data, q.data, kv.data, kv.data, &kv_latent.data, sinks};
    }
  };

  /// [2] Latents, q, k and v of one tile, forward or (keep) for its gradients.
  Projected project(StageBuffer<Scalar>& weights, Tensor<Scalar>& normed, bool keep) {
    Run<Scalar>& run = at_.run;
    Projected p;
    if (has_q_latent()) {
      p.q_latent = run.activations("q latent", run.tile(), a_.q_rank);
      if (keep) p.normed_q_latent = run.activations("normed q latent", run.tile(), a_.q_rank);
      executor::project<Scalar>(at_, q_a_proj_, weights, {normed.data}, {p.q_latent.data});
      norm_latent(q_a_norm_, weights, p.q_latent, keep ? p.normed_q_latent : p.q_latent, a_.q_rank);
    }
    p.q = run.activations("q", run.tile(), a_.heads * a_.qk_head_dim());
    executor::project<Scalar>(at_, q_proj_, weights, {query_input(p, normed).data}, {p.q.data});
    project_keys_and_values(weights, normed, p, keep);
    if (at_.rotates()) run.machine.forward(at_.rotary, run.tile());
    return p;
  }

  AttentionGains<Scalar> gains(StageBuffer<Scalar>&) const { return {}; }

  /// [3] Room for the gradients.
  Gradients gradients() {
    Run<Scalar>& run = at_.run;
    const std::int64_t t = run.tile();
    return {run.activations("q gradient", t, a_.heads * a_.qk_head_dim()),
            run.zeros("k and v gradient", t, kv_width(), run.activation()),
            run.zeros("kv latent gradient", t, latent_width(), run.activation())};
  }

  /// [3] Back through the rotary embedding, in place.
  void unrotate_and_unnorm(StageBuffer<Scalar>&, StageBuffer<Scalar>&, Projected&, Gradients& d) {
    Run<Scalar>& run = at_.run;
    if (at_.rotates()) run.machine.both_gradients(at_.rotary, run.tile());
    if (!run.with_data()) return;
    unrotate<Scalar>(at_.table, d.q.data, a_.qk_head_dim(), a_.nope_head_dim);
    unrotate<Scalar>(at_.table, d.kv_latent.data, latent_width(), a_.kv_rank);
  }

  /// [4] Weight gradients, through the latents and their norms to that of the normed input.
  void input_gradients(StageBuffer<Scalar>& weights, StageBuffer<Scalar>& gradients, Tensor<Scalar>& normed,
                       Projected& p, Gradients& d, Tensor<Scalar>& dnormed) {
    const Part<Scalar> input{normed.data}, dinput{dnormed.data};
    weight_gradient<Scalar>(at_, q_proj_, gradients, {query_input(p, normed).data}, {d.q.data});
    if (has_q_latent()) {
      Tensor<Scalar> dlatent = at_.run.activations("q latent gradient", at_.run.tile(), a_.q_rank);
      input_gradient<Scalar>(at_, q_proj_, weights, {d.q.data}, {dlatent.data}, Write::over);
      unnorm_latent(q_a_norm_, weights, gradients, p.q_latent, dlatent, a_.q_rank);
      weight_gradient<Scalar>(at_, q_a_proj_, gradients, input, {dlatent.data});
      input_gradient<Scalar>(at_, q_a_proj_, weights, {dlatent.data}, dinput, Write::over);
    } else {
      input_gradient<Scalar>(at_, q_proj_, weights, {d.q.data}, dinput, Write::over);
    }
    weight_gradient<Scalar>(at_, kv_b_proj_, gradients, {p.normed_kv_latent.data}, {d.kv.data});
    input_gradient<Scalar>(at_, kv_b_proj_, weights, {d.kv.data}, {d.kv_latent.data, 0, a_.kv_rank},
                           Write::over);
    unnorm_latent(kv_a_norm_, weights, gradients, p.kv_latent, d.kv_latent, a_.kv_rank);
    weight_gradient<Scalar>(at_, kv_a_proj_, gradients, input, {d.kv_latent.data});
    input_gradient<Scalar>(at_, kv_a_proj_, weights, {d.kv_latent.data}, dinput, Write::add);
  }

 private:
  bool has_q_latent() const { return a_.q_rank > 0; }
  std::int64_t kv_width() const { return a_.heads * (a_.nope_head_dim + a_.v_head_dim); }
  std::int64_t latent_width() const { return a_.kv_rank + a_.rope_head_dim; }

  Tensor<Scalar>& query_input(Projected& p, Tensor<Scalar>& normed) const {
    if (!has_q_latent()) return normed;
    return p.normed_q_latent.data.size() > 0 ? p.normed_q_latent : p.q_latent;
  }

  void project_keys_and_values(StageBuffer<Scalar>& weights, Tensor<Scalar>& normed, Projected& p,
                               bool keep) {
    Run<Scalar>& run = at_.run;
    p.kv_latent = run.activations("kv latent", run.tile(), latent_width());
    if (keep) p.normed_kv_latent = run.activations("normed kv latent", run.tile(), a_.kv_rank);
    p.kv = run.activations("k and v", run.tile(), kv_width());
    Tensor<Scalar>& latent = keep ? p.normed_kv_latent : p.kv_latent;
    executor::project<Scalar>(at_, kv_a_proj_, weights, {normed.data}, {p.kv_latent.data});
    norm_latent(kv_a_norm_, weights, p.kv_latent, latent, a_.kv_rank);
    executor::project<Scalar>(at_, kv_b_proj_, weights, {latent.data, 0, a_.kv_rank}, {p.kv.data});
  }

  /// The first `rank` columns.
  void norm_latent(OperatorRef op, StageBuffer<Scalar>& weights, Tensor<Scalar>& from, Tensor<Scalar>& to,
                   std::int64_t rank) {
    Run<Scalar>& run = at_.run;
    run.machine.forward(op, run.tile());
    const NormWeights<Scalar> w = weights.norm(run.machine.operator_of(op).name);
    for (Eigen::Index t = 0; t < from.data.rows(); ++t)
      norm_row<Scalar>(&from.data(t, 0), w, &to.data(t, 0), rank);
  }

  void unnorm_latent(OperatorRef op, StageBuffer<Scalar>& weights, StageBuffer<Scalar>& gradients,
                     const Tensor<Scalar>& latent, Tensor<Scalar>& gradient, std::int64_t rank) {
    Run<Scalar>& run = at_.run;
    run.machine.both_gradients(op, run.tile());
    const std::string_view name = run.machine.operator_of(op).name;
    const NormWeights<Scalar> w = weights.norm(name), dw = gradients.norm(name);
    for (Eigen::Index t = 0; t < latent.data.rows(); ++t)
      norm_row_gradient<Scalar>(&latent.data(t, 0), w, &gradient.data(t, 0), nullptr, &gradient.data(t, 0),
                                dw, rank);
  }

  AttentionLayer<Scalar>& at_;
  const LatentAttention& a_;
  OperatorRef q_a_proj_, q_a_norm_, q_proj_, kv_a_proj_, kv_a_norm_, kv_b_proj_;
};

}  // namespace bta::executor
