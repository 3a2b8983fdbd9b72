#include "cost/roofline.h"

#include <algorithm>

#include "cost/term.h"

namespace bta {
namespace {

double cycles_to_seconds(double cycles, const Wafer& wafer) {
  return cycles / wafer.clock_hz;
}

struct GemmRates {
  double compute_per_slot;  // seconds per token slot
  double sram_per_slot;
  double broadcast;        // seconds
  double reduce_per_slot;  // forward
  double reduce_per_slot_dgrad;
  double reduce_wgrad;  // seconds
};

GemmRates gemm_rates(const Gemm& gemm, const Wafer& w, const Workload& workload) {
  const double io = as_double(gemm.inputs) * as_double(gemm.outputs), columns = as_double(w.columns);
  const double v = as_double(vector_width(w, workload.precision));
  const double operand = as_double(workload.bytes.activation);
  const double port =
      std::max(2 * operand / w.sram_read_bytes_per_cycle, operand / w.sram_write_bytes_per_cycle);
  return {.compute_per_slot = cycles_to_seconds(io / (columns * v * w.gemm_efficiency), w),
          .sram_per_slot = cycles_to_seconds(io / columns * port, w),
          .broadcast = cycles_to_seconds(
              io * as_double(workload.bytes.weight) / (columns * w.link_bytes_per_cycle), w),
          .reduce_per_slot =
              cycles_to_seconds(as_double(gemm.outputs) * w.partial_sum_bytes / w.link_bytes_per_cycle, w),
          .reduce_per_slot_dgrad =
              cycles_to_seconds(as_double(gemm.inputs) * w.partial_sum_bytes / w.link_bytes_per_cycle, w),
          .reduce_wgrad = cycles_to_seconds(io * 4 / (columns * w.link_bytes_per_cycle), w)};
}

Timed on_wafer(double compute, double sram, double broadcast, double reduce, double omega) {
  Timed timed;
  timed.busy[Resource::compute] = compute;
  timed.busy[Resource::sram] = sram;
  timed.busy[Resource::broadcast] = broadcast;
  timed.busy[Resource::reduce] = reduce;
  timed.seconds =
      combine(std::span(timed.busy.seconds).first<4>(), term("overlap", "on the wafer", "omega", omega));
  return timed;
}

Timed gemm_time(const Operator& op, const Gemm& gemm, double slots, Passes passes, const Wafer& w,
                const Workload& workload) {
  const GemmRates rate = gemm_rates(gemm, w, workload);
  const double compute = slots * rate.compute_per_slot, sram = slots * rate.sram_per_slot;
  const auto t = [&](std::string_view part, double value) { return term("time", op.name, part, value); };
  Timed total;
  if (passes.forward > 0)
    total = t("forward runs", as_double(passes.forward)) *
            on_wafer(t("compute", compute), t("sram", sram), t("broadcast", rate.broadcast),
                     t("reduce", slots * rate.reduce_per_slot), w.wafer_overlap);
  if (!passes.gradients) return total;
  total += on_wafer(t("input gradient compute", compute), t("input gradient sram", sram),
                    t("input gradient broadcast", rate.broadcast),
                    t("input gradient reduce", slots * rate.reduce_per_slot_dgrad), w.wafer_overlap);
  total += on_wafer(t("weight gradient compute", compute), t("weight gradient sram", sram), 0,
                    t("weight gradient reduce", rate.reduce_wgrad), w.wafer_overlap);
  return total;
}

Timed attention_time(const Operator& op, const AttentionProduct& product, double slots, Passes passes,
                     const Wafer& w, const Workload& workload) {
  const double pairs_per_token = as_double(twice_pairs(workload.seq_len, workload.mask, product.window)) / 2 /
                                 as_double(workload.seq_len);
  const double v = as_double(vector_width(w, workload.precision));
  const double macs_per_token = as_double(product.heads) * pairs_per_token * as_double(product.head_dim);
  const double once =
      cycles_to_seconds(slots * macs_per_token / (as_double(w.columns) * v * w.attention_efficiency), w);
  const double runs = term("time", op.name, "forward runs", as_double(passes.forward)) +
                      (passes.gradients ? term("time", op.name, "gradient runs", 2.0) : 0);
  return on_wafer(runs * term("time", op.name, "attention", once), 0, 0, 0, w.wafer_overlap);
}

}  // namespace

ResourceTimes& ResourceTimes::operator+=(const ResourceTimes& other) {
  for (std::size_t r = 0; r < resource_count; ++r) seconds[r] += other.seconds[r];
  return *this;
}

ResourceTimes operator*(double factor, ResourceTimes times) {
  for (double& seconds : times.seconds) seconds *= factor;
  return times;
}

Timed& Timed::operator+=(const Timed& other) {
  seconds += other.seconds;
  busy += other.busy;
  return *this;
}

Timed operator*(double factor, Timed timed) {
  return {factor * timed.seconds, factor * timed.busy};
}

void add_overhead(Timed& timed, double seconds) {
  timed.seconds += seconds;
  timed.busy[Resource::overhead] += seconds;
}

Resource binding(const ResourceTimes& times) {
  const auto busiest = std::ranges::max_element(times.seconds);
  return static_cast<Resource>(busiest - times.seconds.begin());
}

double combine(std::span<const double> times, double omega) {
  double sum = 0, max = 0;
  for (const double time : times) {
    sum += time;
    max = std::max(max, time);
  }
  return max + (1 - omega) * (sum - max);
}

double row_slots(std::int64_t tokens, const Wafer& wafer, Precision precision) {
  const std::int64_t v = vector_width(wafer, precision);
  return as_double(
      term("row load", "even rows", "slots", product(v, ceil_div(tokens, product(wafer.rows, v)))));
}

Timed operator_time(const Operator& op, double slots, Passes passes, const Wafer& wafer,
                    const Workload& workload) {
  if (const auto* gemm = std::get_if<Gemm>(&op.work))
    return gemm_time(op, *gemm, slots, passes, wafer, workload);
  if (const auto* product = std::get_if<AttentionProduct>(&op.work))
    return attention_time(op, *product, slots, passes, wafer, workload);
  return {};
}

Timed stage_time(std::span<const Operator> ops, Stage stage, double slots, Passes passes, const Wafer& wafer,
                 const Workload& workload) {
  Timed total;
  for (const Operator& op : ops)
    if (op.stage == stage && !std::holds_alternative<TokenVector>(op.work))  // counted, not timed
      total += operator_time(op, slots, passes, wafer, workload);
  return total;
}

Timed with_stream(const Timed& work, double in_bytes, double out_bytes, const Wafer& wafer) {
  Timed timed = work;
  const double in = term("stream", "in", "seconds", in_bytes / wafer.stream_in_bytes_per_s);
  const double out = term("stream", "out", "seconds", out_bytes / wafer.stream_out_bytes_per_s);
  const double omega = term("overlap", "of the stream", "omega", wafer.stream_overlap);
  timed.busy[Resource::stream_in] += in;
  timed.busy[Resource::stream_out] += out;
  timed.seconds = combine(std::array{work.seconds, std::max(in, out)}, omega);
  return timed;
}

std::int64_t twice_pairs(std::int64_t seq_len, Mask mask, const std::optional<Window>& window) {
  switch (mask) {
    case Mask::full:
      return term("pairs", "full", "twice", product(std::int64_t{2}, seq_len, seq_len));
    case Mask::causal:
      return term("pairs", "causal", "twice",
                  product(std::int64_t{2}, window.value_or(Window{seq_len}).pairs(seq_len)));
    case Mask::half:
      return term("pairs", "half", "twice", product(seq_len, seq_len));
  }
  return 0;
}

}  // namespace bta
