#include "executor/fabric.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace bta::executor {
namespace {

/// The longest alone, and what of the others is not hidden behind it.
double overlapped(std::array<double, 4> times, double overlap) {
  std::ranges::sort(times);
  const double hidden_or_not = times[0] + times[1] + times[2];
  return times[3] + (1 - overlap) * hidden_or_not;
}

Busy finished(Busy busy, const Wafer& wafer) {
  for (double* cycles : {&busy.compute, &busy.sram, &busy.broadcast, &busy.reduce}) *cycles /= wafer.clock_hz;
  busy.seconds = overlapped({busy.compute, busy.sram, busy.broadcast, busy.reduce}, wafer.wafer_overlap);
  return busy;
}

Busy gemm_busy(const Gemm& gemm, Pass pass, std::int64_t vectors, const Wafer& wafer,
               const Workload& workload) {
  const double in_column = as_double(gemm.inputs) * as_double(gemm.outputs) / as_double(wafer.columns);
  const double slots = as_double(vectors * vector_width(wafer, workload.precision));
  const double operand = as_double(workload.bytes.activation);
  Busy busy;
  busy.compute = as_double(vectors) * in_column / wafer.gemm_efficiency;
  busy.sram =
      slots * in_column *
      std::max(2 * operand / wafer.sram_read_bytes_per_cycle, operand / wafer.sram_write_bytes_per_cycle);
  if (pass == Pass::weight_gradient) {
    busy.reduce = in_column * 4 / wafer.link_bytes_per_cycle;
    return finished(busy, wafer);
  }
  const double results = as_double(pass == Pass::forward ? gemm.outputs : gemm.inputs);
  busy.broadcast = in_column * as_double(workload.bytes.weight) / wafer.link_bytes_per_cycle;
  busy.reduce = slots * results * wafer.partial_sum_bytes / wafer.link_bytes_per_cycle;
  return finished(busy, wafer);
}

Busy attention_busy(const AttentionProduct& product, std::int64_t vectors, std::int64_t pairs,
                    const Wafer& wafer, const Workload& workload) {
  const double pairs_of_a_token = as_double(pairs) / as_double(workload.seq_len);
  Busy busy;
  busy.compute = as_double(vectors) * as_double(product.heads) * as_double(product.head_dim) *
                 pairs_of_a_token / as_double(wafer.columns) / wafer.attention_efficiency;
  return finished(busy, wafer);
}

}  // namespace

Busy& Busy::operator+=(const Busy& other) {
  compute += other.compute;
  sram += other.sram;
  broadcast += other.broadcast;
  reduce += other.reduce;
  overhead += other.overhead;
  seconds += other.seconds;
  return *this;
}

std::int64_t row_vectors(std::int64_t tokens, const Wafer& wafer, Precision precision) {
  return ceil_div(tokens, vector_width(wafer, precision));
}

std::int64_t even_vectors(std::int64_t tokens, const Wafer& wafer, Precision precision) {
  return row_vectors(ceil_div(tokens, wafer.rows), wafer, precision);
}

Busy operator_busy(const Operator& op, Pass pass, std::int64_t vectors, std::int64_t pairs,
                   const Wafer& wafer, const Workload& workload) {
  if (const auto* gemm = std::get_if<Gemm>(&op.work)) return gemm_busy(*gemm, pass, vectors, wafer, workload);
  if (const auto* product = std::get_if<AttentionProduct>(&op.work))
    return attention_busy(*product, vectors, pairs, wafer, workload);
  return {};
}

std::int64_t expert_vectors(const Wafer& wafer, const Workload& workload, const ExpertLoad& load) {
  return workload.placement == Placement::masked ? row_vectors(load.fullest_row, wafer, workload.precision)
                                                 : even_vectors(load.tokens, wafer, workload.precision);
}

double move_s(std::int64_t routed_tokens, std::int64_t hidden, const Wafer& wafer, const Workload& workload) {
  const double bytes = as_double(product(routed_tokens, hidden, workload.bytes.activation));
  const double links_over_the_middle = 4 * as_double(wafer.columns);
  return bytes / links_over_the_middle / wafer.link_bytes_per_cycle / wafer.clock_hz;
}

std::int64_t computed_pairs(std::int64_t seq_len, Mask mask, const std::optional<Window>& window) {
  std::int64_t pairs = 0;
  for (std::int64_t query = 0; query < seq_len; ++query) {
    const std::int64_t visible = query + 1 - (window ? window->first_key(query) : 0);
    pairs = checked_add(pairs, mask == Mask::full ? seq_len : visible);
  }
  return pairs;
}

std::int64_t computed_pairs(const Operator& op, const Workload& workload) {
  if (const auto* product = std::get_if<AttentionProduct>(&op.work))
    return computed_pairs(workload.seq_len, workload.mask, product->window);
  if (const auto* vector = std::get_if<PairVector>(&op.work))
    return computed_pairs(workload.seq_len, workload.mask, vector->window);
  return 0;
}

}  // namespace bta::executor
