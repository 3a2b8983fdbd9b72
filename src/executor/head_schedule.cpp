#include "executor/head_schedule.h"

#include <algorithm>

namespace bta::executor {
namespace {

template <class Scalar>
struct Head {
  explicit Head(Run<Scalar>& r)
      : run(r),
        norm(r.machine.find(r.machine.head(), "final_norm")),
        lm_head(r.machine.find(r.machine.head(), "lm_head")),
        cross_entropy(r.machine.find(r.machine.head(), "cross_entropy")) {}
  Run<Scalar>& run;
  OperatorRef norm, lm_head, cross_entropy;
};

/// The rows of one chunk.
struct Chunk {
  std::int64_t first = 0, n = 0;
};

template <class Scalar>
void count_chunk(Head<Scalar>& head, std::int64_t n) {
  Machine& m = head.run.machine;
  for (const OperatorRef op : {head.norm, head.lm_head, head.cross_entropy}) m.forward(op, n);
  m.both_gradients(head.norm, n);
  m.both_gradients(head.cross_entropy, n);
  m.weight_gradient(head.lm_head, n);
  m.input_gradient(head.lm_head, n);
}

/// [2] Logits of a chunk become the gradient of the mean loss.
template <class Scalar>
void logits_of_chunk(Head<Scalar>& head, StageBuffer<Scalar>& weights, const Tensor<Scalar>& normed,
                     Tensor<Scalar>& logits, Chunk chunk) {
  Run<Scalar>& run = head.run;
  const auto [first, n] = chunk;
  linear<Scalar>(normed.rows(0, n), weights.linear("lm_head"), logits.rows(0, n), Write::over,
                 run.machine.performed(head.lm_head));
  run.logits.middleRows(first, n) = logits.rows(0, n);
  const Scalar weight = Scalar(1) / static_cast<Scalar>(run.tokens());
  for (std::int64_t t = 0; t < n; ++t)
    run.loss += cross_entropy_row(&logits.data(t, 0), run.config().model.vocabulary,
                                  run.batch->targets[static_cast<std::size_t>(first + t)], weight);
}

/// [3] Gradients of the weight, of the normed chunk, and through the norm of h.
template <class Scalar>
void gradients_of_chunk(Head<Scalar>& head, StageBuffer<Scalar>& weights, StageBuffer<Scalar>& gradients,
                        const Tensor<Scalar>& normed, const Tensor<Scalar>& dlogits, Tensor<Scalar>& dnormed,
                        Tensor<Scalar>& h, Chunk chunk) {
  Run<Scalar>& run = head.run;
  const auto [first, n] = chunk;
  Linear<Scalar> dw = gradients.linear("lm_head");
  Flops& done = run.machine.performed(head.lm_head);
  linear_weight_gradient<Scalar>(normed.rows(0, n), dlogits.rows(0, n), dw, done);
  linear_input_gradient<Scalar>(dlogits.rows(0, n), weights.linear("lm_head"), dnormed.rows(0, n),
                                Write::over, done);
  for (std::int64_t t = 0; t < n; ++t) {
    Scalar* const x = &h.data(first + t, 0);
    norm_row_gradient<Scalar>(x, weights.norm("final_norm"), &dnormed.data(t, 0), nullptr, x,
                              gradients.norm("final_norm"), run.hidden());
  }
}

/// One chunk, in tensors for `size` tokens.
template <class Scalar>
void run_chunk(Head<Scalar>& head, StageBuffer<Scalar>& weights, StageBuffer<Scalar>& gradients,
               Tensor<Scalar>& h, Chunk chunk, std::int64_t size) {
  Run<Scalar>& run = head.run;
  Arena& arena = run.machine.arena();
  const auto [first, n] = chunk;
  arena.step(1);
  count_chunk(head, n);
  Tensor<Scalar> normed = run.activations("normed chunk", size, run.hidden());
  if (run.with_data()) norm<Scalar>(h.rows(first, n), weights.norm("final_norm"), normed.rows(0, n));
  arena.step(2);
  Tensor<Scalar> logits = run.tensor("logits of a chunk", size, run.config().model.vocabulary, wide_bytes);
  if (run.with_data()) logits_of_chunk(head, weights, normed, logits, chunk);
  arena.step(3);
  Tensor<Scalar> dnormed = run.activations("normed chunk gradient", size, run.hidden());
  if (run.with_data()) gradients_of_chunk(head, weights, gradients, normed, logits, dnormed, h, chunk);
}

}  // namespace

template <class Scalar>
void head_phase(Run<Scalar>& run, Tensor<Scalar>& h) {
  Machine& m = run.machine;
  Head<Scalar> head(run);
  const std::size_t at = m.head();
  const std::int64_t chunk = std::min(run.config().head_chunk, run.tokens()),
                     V = run.config().model.vocabulary;
  h.rename("h, becoming dh");
  m.arena().enter(MemoryPhase::head, 0);
  m.begin(PhaseKind::head, at);
  StageBuffer<Scalar> weights = load_stage(run, at, Stage::head, "head weight");
  StageBuffer<Scalar> gradients = gradient_stage(run, at, Stage::head, "head weight gradient");
  if (run.with_data()) run.logits.resize(run.tokens(), V);
  m.beat();
  for (std::int64_t first = 0; first < run.tokens(); first += chunk)
    run_chunk(head, weights, gradients, h, {first, std::min(chunk, run.tokens() - first)}, chunk);
  m.beat();
  store_stage(run, at, Stage::head, gradients);
  run.loss /= as_double(run.tokens());
  m.arena().leave();
  m.end();
}

template void head_phase(Run<double>&, Tensor<double>&);
template void head_phase(Run<float>&, Tensor<float>&);

}  // namespace bta::executor
