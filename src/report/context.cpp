#include "report/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "cost/problem.h"
#include "hardware/parameters.h"
#include "report/names.h"
#include "report/people.h"

namespace bta {
namespace {

constexpr std::array<std::string_view, 4> assumption_kinds = {"calibrated", "assumed", "derived", "unstated"};

std::string standard_error_text(const CalibratedValue& value) {
  const std::vector<const WaferParameter*> parameters = find_parameters(value.name);
  const ParameterScale scale = parameters.front()->scale;
  if (scale == ParameterScale::ratio) return percent_text(value.standard_error);
  return scale == ParameterScale::time ? seconds_text(value.standard_error)
                                       : fmt::format("{:.3g}", value.standard_error);
}

std::string element_bytes_text(const ElementBytes& bytes) {
  return fmt::format("{} activation, {} weight, {} gradient, {} score", bytes.activation, bytes.weight,
                     bytes.gradient, bytes.score);
}

/// What was measured, and how it is used; empty when nothing was.
std::string routing_note(const Routing& routing) {
  const auto* measured = std::get_if<MeasuredRouting>(&routing);
  if (measured == nullptr) return "";
  const std::vector<double>& counts = measured->tokens_per_expert;
  const double mean = std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(counts.size());
  const std::string layers = measured->layers == 0
                                 ? "counts of one layer"
                                 : fmt::format("mean of {}, the experts of each in order of load",
                                               plural(measured->layers, "measured layer"));
  return fmt::format(
      "routing {}: {}; the busiest of {} experts gets {:.2f} times the mean; every layer and every top_k is "
      "planned with these shares",
      measured->name, layers, counts.size(), *std::ranges::max_element(counts) / mean);
}

}  // namespace

const std::vector<Convention>& conventions() {
  static const std::vector<Convention> all = {
      {"flops", "1 multiply-add = 2 FLOPs"},
      {"model_flops",
       "matrix products of the forward pass, times 3 for training; no recomputation, no vector work"},
      {"hardware_flops",
       "matrix products the chip executes: recomputation included, padding not (padding is time)"},
      {"utilization", "hardware FLOPs / step time / published dense peak of all wafers"},
      {"units", "SI base units; GB = 1e9 bytes, GiB = 2^30 bytes"},
      {"sparsity", "1 - top_k/experts"},
      {"tokens_per_expert", "tokens of a micro-batch * top_k / experts"},
      {"tile_batch", "B: sequences per attention tile"},
      {"tiles", "G: attention tiles per micro-batch; 1 = conventional uniform batching"},
      {"micro_batch", "B*G: sequences the experts see at once on one wafer"},
      {"uniform", "the best plan with G = 1"},
      {"dense",
       "every expert selected (top_k = experts) as one fused MLP without a router, at its own best uniform "
       "batch"},
      {"speedup", "tokens_per_s / uniform_tokens_per_s"},
      {"loss", "1 - tokens_per_s / dense_tokens_per_s; negative when faster than dense"},
      {"bound",
       "the resource with the largest share of step time; memory: a larger micro-batch would be faster but "
       "does not fit"},
      {"objective", "highest tokens/s over all integers B, G that fit; ties by least memory, then least G"},
  };
  return all;
}

std::string_view mask_meaning(Mask mask) {
  constexpr std::array<std::string_view, 3> meanings = {
      "full: the chip computes the whole S x S square of scores",
      "causal: the chip skips what is masked, S*(S+1)/2 pairs",
      "half: S*S/2 pairs, only to compare FLOPs with tools that count so"};
  return meanings.at(static_cast<std::size_t>(mask));
}

bool is_assumption(const SourcedNumber& number) {
  for (const std::string_view kind : assumption_kinds)
    if (number.kind == kind) return true;
  return false;
}

std::int64_t head_chunk_tokens(const Wafer& wafer, const Workload& workload) {
  return head_chunk(wafer, workload);
}

std::string heading_lines(const Model& model, const Wafer& wafer, const Workload& workload) {
  return fmt::format(
      "{} on {}, {}\n"
      "seq_len {}, mask {}, attention {}, checkpoint {}, routing {}, placement {}, precision {}\n",
      model.name, wafer.name, plural(workload.wafers, "wafer"), workload.seq_len, name_of(workload.mask),
      name_of(workload.kernel), name_of(workload.checkpoint), name_of(workload.routing),
      name_of(workload.placement), name_of(workload.precision));
}

std::string calibration_note(const Wafer& wafer) {
  if (!wafer.calibration) return "";
  const CalibrationRecord& record = *wafer.calibration;
  std::string errors;
  for (const CalibratedValue& value : record.values)
    errors += fmt::format("{}{} {}", errors.empty() ? "" : ", ", value.name, standard_error_text(value));
  return fmt::format("calibration: measured runs scatter by {} about the fit ({}); standard errors {}",
                     percent_text(record.scatter),
                     plural(record.degrees_of_freedom, "degree") + " of freedom", errors);
}

std::vector<std::string> assumption_notes(const Wafer& wafer, const Workload& workload) {
  std::vector<std::string> notes;
  for (const std::string_view kind : assumption_kinds) {
    std::string listed;
    for (const SourcedNumber& number : wafer.numbers)
      if (number.kind == kind)
        listed += fmt::format("{}{} {}", listed.empty() ? "" : ", ", number.key, number.value);
    if (!listed.empty()) notes.push_back(fmt::format("{}: {}", kind, listed));
    if (kind == "calibrated" && wafer.calibration) notes.push_back(calibration_note(wafer));
  }
  notes.push_back(fmt::format(
      "bytes per element: {}; head in chunks of {} tokens; expert buffers hold with probability {}",
      element_bytes_text(workload.bytes), grouped(head_chunk_tokens(wafer, workload)),
      workload.capacity_quantile));
  if (std::string routing = routing_note(workload.routing); !routing.empty()) notes.push_back(routing);
  return notes;
}

std::string assumptions_in_one_line(const Wafer& wafer) {
  std::string text;
  for (const SourcedNumber& number : wafer.numbers)
    if (is_assumption(number))
      text += fmt::format("{}{}={} ({})", text.empty() ? "" : "; ", number.key, number.value, number.kind);
  return text;
}

}  // namespace bta
