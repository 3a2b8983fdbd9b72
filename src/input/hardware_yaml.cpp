#include "input/hardware_yaml.h"

#include <fmt/format.h>

#include <algorithm>

#include "input/calibration_yaml.h"
#include "input/reader.h"

namespace bta {
namespace {

// Far above any chip, and low enough that R*C*SRAM fits 64 bits.
constexpr IntegerRange grid_range{1, std::int64_t{1} << 20};
constexpr IntegerRange vector_range{1, std::int64_t{1} << 16};
constexpr IntegerRange sram_range{1, std::int64_t{1} << 50};
constexpr std::int64_t largest_sram = std::int64_t{1} << 43;  // of the whole grid, bytes: 8.8 TB
constexpr IntegerRange wafer_range{1, std::int64_t{1} << 20};
constexpr IntegerRange tensor_range{1, 64};
constexpr IntegerRange score_head_range{1, std::int64_t{1} << 12};
constexpr IntegerRange row_range{1, std::int64_t{1} << 24};
constexpr RealRange rate{1, 1e24, false, false};     // Hz, B/s, FLOP/s
constexpr RealRange port{1e-3, 1e15, false, false};  // bytes per cycle
constexpr RealRange efficiency{1e-4, 1, false, false};
constexpr RealRange overlap{0, 1, false, false};
constexpr RealRange fraction{0, 1, false, true};
constexpr RealRange partial_sum{1e-3, 64, false, false};  // bytes
constexpr RealRange overhead{0, 1e6, false, false};       // s

void read_grid(Reader& reader, Wafer& wafer) {
  wafer.rows = reader.integer("rows", grid_range).value_or(1);
  wafer.columns = reader.integer("columns", grid_range).value_or(1);
}

void read_vector_width(Reader& reader, VectorWidth& width) {
  width.fp16 = reader.integer("fp16", vector_range);
  width.bf16 = reader.integer("bf16", vector_range, Need::optional);
  width.fp32 = reader.integer("fp32", vector_range, Need::optional);
}

void read_core(Reader& reader, Wafer& wafer) {
  wafer.sram_per_core = reader.bytes("sram", sram_range).value_or(Bytes(1));
  wafer.reserved_fraction = reader.real("reserved_fraction", fraction).value_or(0);
  wafer.clock_hz = reader.quantity("clock", Dimension::hertz, rate).value_or(1);
  reader.section("multiply_adds_per_cycle",
                 [&](Reader& widths) { read_vector_width(widths, wafer.vector_width); });
  wafer.sram_read_bytes_per_cycle = reader.real("sram_read_bytes_per_cycle", port).value_or(1);
  wafer.sram_write_bytes_per_cycle = reader.real("sram_write_bytes_per_cycle", port).value_or(1);
  wafer.link_bytes_per_cycle = reader.real("link_bytes_per_cycle", port).value_or(1);
  const std::int64_t cores = std::max<std::int64_t>(1, wafer.rows * wafer.columns);  // 0: the grid is missing
  if (wafer.sram_per_core.value > largest_sram / cores) {
    reader.problem("sram",
                   fmt::format("the SRAM of {} x {} cores exceeds 2^43 bytes (8.8 TB); the value is that of "
                               "one core",
                               wafer.rows, wafer.columns));
  }
}

void read_off_wafer(Reader& reader, Wafer& wafer) {
  wafer.stream_in_bytes_per_s = reader.quantity("stream_in", Dimension::bytes_per_second, rate).value_or(1);
  wafer.stream_out_bytes_per_s = reader.quantity("stream_out", Dimension::bytes_per_second, rate).value_or(1);
}

void read_peak(Reader& reader, Wafer& wafer) {
  wafer.dense_peak_flops_per_s = reader.quantity("dense", Dimension::flops_per_second, rate).value_or(1);
  reader.quantity("sparse_marketing", Dimension::flops_per_second, rate,
                  Need::optional);  // recorded, never used
}

void read_efficiency(Reader& reader, Wafer& wafer) {
  wafer.gemm_efficiency = reader.real("gemm", efficiency).value_or(1);
  wafer.attention_efficiency = reader.real("attention", efficiency).value_or(1);
  wafer.partial_sum_bytes = reader.real("partial_sum_bytes", partial_sum).value_or(1);
  wafer.wafer_overlap = reader.real("wafer_overlap", overlap).value_or(1);
  wafer.stream_overlap = reader.real("stream_overlap", overlap).value_or(1);
  wafer.layer_overhead_s = reader.quantity("layer_overhead", Dimension::seconds, overhead).value_or(0);
  wafer.tile_overhead_s = reader.quantity("tile_overhead", Dimension::seconds, overhead).value_or(0);
  wafer.expert_overhead_s = reader.quantity("expert_overhead", Dimension::seconds, overhead).value_or(0);
}

void read_attention_kernel(Reader& reader, Wafer& wafer) {
  const std::int64_t score_heads = reader.integer_or("score_heads", "all", score_head_range).value_or(0);
  if (score_heads > 0) wafer.score_heads = score_heads;
  wafer.score_tensors_forward = reader.integer("score_tensors_forward", tensor_range).value_or(1);
  wafer.score_tensors_backward = reader.integer("score_tensors_backward", tensor_range).value_or(1);
  wafer.attention_block_rows = reader.integer("block_rows", row_range).value_or(1);
}

}  // namespace

Wafer read_wafer_yaml(const Node& root, ReadLog& log) {
  Wafer wafer;
  Reader reader(root, "", {}, log);
  reader.adopt_provenance();
  const auto read = [&](std::string_view key, auto body) {
    reader.section(key, [&](Reader& section) { body(section, wafer); });
  };
  wafer.name = reader.text("name").value_or("");
  read("grid", read_grid);
  read("core", read_core);
  read("off_wafer", read_off_wafer);
  reader.section("system",
                 [&](Reader& system) { wafer.wafers = system.integer("wafers", wafer_range).value_or(1); });
  read("peak", read_peak);
  read("efficiency", read_efficiency);
  read("attention_kernel", read_attention_kernel);
  wafer.calibration = read_calibration(reader);
  reader.refuse_unknown_keys();
  return wafer;
}

}  // namespace bta
