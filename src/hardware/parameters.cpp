#include "hardware/parameters.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/split.h"

namespace bta {
namespace {

using enum ParameterScale;

std::int64_t whole_number(double value) {
  return std::max<std::int64_t>(1, std::llround(value));
}

template <double Wafer::*member>
constexpr WaferParameter real(std::string_view key, std::string_view unit, ParameterScale scale, double least,
                              double most) {
  return {key,
          unit,
          scale,
          least,
          most,
          [](const Wafer& w) { return w.*member; },
          [](Wafer& w, double value) { w.*member = value; }};
}

template <std::int64_t Wafer::*member>
constexpr WaferParameter count(std::string_view key, double most) {
  return {key,
          "",
          whole,
          1,
          most,
          [](const Wafer& w) { return as_double(w.*member); },
          [](Wafer& w, double value) { w.*member = whole_number(value); }};
}

template <std::optional<std::int64_t> VectorWidth::*member>
constexpr WaferParameter width(std::string_view key) {
  return {key,
          "",
          whole,
          1,
          65536,
          [](const Wafer& w) { return as_double((w.vector_width.*member).value_or(0)); },
          [](Wafer& w, double value) {
            if (w.vector_width.*member) w.vector_width.*member = whole_number(value);
          }};
}

constexpr double largest_sram = 0x1p43;  // bytes of the whole grid, and so of one core
constexpr WaferParameter sram = {
    "core.sram",
    "B",
    ratio,
    1,
    largest_sram,
    [](const Wafer& w) { return as_double(w.sram_per_core); },
    [](Wafer& w, double value) { w.sram_per_core = Bytes(whole_number(value)); }};

constexpr double all_heads = 0;  // score_heads: all
constexpr WaferParameter score_heads = {
    "attention_kernel.score_heads",
    "",
    whole,
    1,
    4096,
    [](const Wafer& w) { return w.score_heads ? as_double(*w.score_heads) : all_heads; },
    [](Wafer& w, double value) {
      w.score_heads.reset();
      if (value > all_heads) w.score_heads = whole_number(value);
    }};

constexpr double largest_rate = 1e24;  // Hz, B/s
constexpr double largest_port = 1e15;  // bytes per cycle

constexpr std::array parameters = {
    count<&Wafer::rows>("grid.rows", 1 << 20),
    count<&Wafer::columns>("grid.columns", 1 << 20),
    sram,
    real<&Wafer::reserved_fraction>("core.reserved_fraction", "", share, 0, 0.999),
    real<&Wafer::clock_hz>("core.clock", "Hz", ratio, 1, largest_rate),
    width<&VectorWidth::fp16>("core.multiply_adds_per_cycle.fp16"),
    width<&VectorWidth::bf16>("core.multiply_adds_per_cycle.bf16"),
    width<&VectorWidth::fp32>("core.multiply_adds_per_cycle.fp32"),
    real<&Wafer::sram_read_bytes_per_cycle>("core.sram_read_bytes_per_cycle", "B", ratio, 1e-3, largest_port),
    real<&Wafer::sram_write_bytes_per_cycle>("core.sram_write_bytes_per_cycle", "B", ratio, 1e-3,
                                             largest_port),
    real<&Wafer::link_bytes_per_cycle>("core.link_bytes_per_cycle", "B", ratio, 1e-3, largest_port),
    real<&Wafer::stream_in_bytes_per_s>("off_wafer.stream_in", "B/s", ratio, 1, largest_rate),
    real<&Wafer::stream_out_bytes_per_s>("off_wafer.stream_out", "B/s", ratio, 1, largest_rate),
    real<&Wafer::gemm_efficiency>("efficiency.gemm", "", ratio, 1e-4, 1),
    real<&Wafer::attention_efficiency>("efficiency.attention", "", ratio, 1e-4, 1),
    real<&Wafer::partial_sum_bytes>("efficiency.partial_sum_bytes", "B", ratio, 1e-3, 64),
    real<&Wafer::wafer_overlap>("efficiency.wafer_overlap", "", share, 0, 1),
    real<&Wafer::stream_overlap>("efficiency.stream_overlap", "", share, 0, 1),
    real<&Wafer::layer_overhead_s>("efficiency.layer_overhead", "s", ParameterScale::time, 0, 1e6),
    real<&Wafer::tile_overhead_s>("efficiency.tile_overhead", "s", ParameterScale::time, 0, 1e6),
    real<&Wafer::expert_overhead_s>("efficiency.expert_overhead", "s", ParameterScale::time, 0, 1e6),
    score_heads,
    count<&Wafer::score_tensors_forward>("attention_kernel.score_tensors_forward", 64),
    count<&Wafer::score_tensors_backward>("attention_kernel.score_tensors_backward", 64),
    count<&Wafer::attention_block_rows>("attention_kernel.block_rows", 1 << 24),
};

}  // namespace

std::span<const WaferParameter> wafer_parameters() {
  return parameters;
}

const WaferParameter* find_parameter(std::string_view name) {
  const auto named = [name](const WaferParameter& p) { return p.key == name || short_name(p) == name; };
  const auto found = std::ranges::find_if(parameters, named);
  return found == parameters.end() ? nullptr : &*found;
}

std::vector<const WaferParameter*> find_parameters(std::string_view names) {
  std::vector<const WaferParameter*> found;
  for (const std::string& name : split(names, '=')) {
    const WaferParameter* const parameter = find_parameter(name);
    if (parameter == nullptr || (!found.empty() && found.front()->scale != parameter->scale)) return {};
    found.push_back(parameter);
  }
  return found;
}

std::string_view short_name(const WaferParameter& parameter) {
  return parameter.key.substr(parameter.key.rfind('.') + 1);
}

bool is_fitted_to_times(const WaferParameter& parameter) {
  return parameter.key.starts_with("efficiency.");
}

double coordinate(const WaferParameter& parameter, double value) {
  return parameter.scale == ratio ? std::log(value) : value;
}

double value_at(const WaferParameter& parameter, double coordinate) {
  const double value = parameter.scale == ratio ? std::exp(coordinate) : coordinate;
  return std::clamp(value, parameter.least, parameter.most);
}

Wafer with(const Wafer& wafer, const WaferParameter& parameter, double value) {
  Wafer changed = wafer;
  parameter.set(changed, value);
  return changed;
}

}  // namespace bta
