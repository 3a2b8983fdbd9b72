// What a wafer-scale chip is: one grid of R x C cores, its rates, and the efficiency parameters of
// the time model. Filled once, whole and valid, by `input`. Symbols of docs/model.md beside the fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/count.h"
#include "hardware/calibration.h"

namespace bta {

enum class Precision { fp16, bf16, fp32 };

/// Multiply-adds per core and cycle = tokens in a core's vector (v). Absent: not supported.
struct VectorWidth {
  std::optional<std::int64_t> fp16, bf16, fp32;
};

/// One number of a description with its standing, kept to be told to the user.
struct SourcedNumber {
  std::string key;     // dotted path, e.g. "grid.rows"
  std::string value;   // as written, with its unit
  std::string kind;    // datasheet, measured, derived, assumed, calibrated; "unstated" when a user gave none
  std::string source;  // may be empty
};

struct Wafer {
  std::string name;
  std::int64_t rows = 0;     // R: batch and sequence lie along the rows
  std::int64_t columns = 0;  // C: hidden dimension lies along the columns
  Bytes sram_per_core;
  double reserved_fraction = 0;  // of the SRAM, not available to tensors; [0, 1)
  double clock_hz = 0;
  VectorWidth vector_width;               // v
  double sram_read_bytes_per_cycle = 0;   // read_port, per core
  double sram_write_bytes_per_cycle = 0;  // write_port, per core
  double link_bytes_per_cycle = 0;        // link, per direction
  double stream_in_bytes_per_s = 0;       // off-wafer, external memory to wafer
  double stream_out_bytes_per_s = 0;      // off-wafer, wafer to external memory
  std::int64_t wafers = 1;                // default number of systems
  double dense_peak_flops_per_s = 0;      // published dense peak of one wafer at half precision

  double gemm_efficiency = 1;               // eta, (0, 1]
  double attention_efficiency = 1;          // eta_attention, (0, 1]
  double partial_sum_bytes = 4;             // r
  double wafer_overlap = 1;                 // omega_wafer, [0, 1]
  double stream_overlap = 1;                // omega_stream, [0, 1]
  double layer_overhead_s = 0;              // per layer and pass
  double tile_overhead_s = 0;               // per attention tile and pass
  double expert_overhead_s = 0;             // per expert and pass
  std::optional<std::int64_t> score_heads;  // heads a materialized kernel works on at once; absent = all
  std::int64_t score_tensors_forward = 2;
  std::int64_t score_tensors_backward = 3;
  std::int64_t attention_block_rows =
      128;  // query rows of scores a blocked kernel holds per sequence and head

  std::optional<CalibrationRecord> calibration;  // absent: how sure the numbers are is not known

  std::vector<SourcedNumber> numbers;  // every number of the description, in the schema's order
  std::string content_hash;            // SHA-256 of the canonical description, hex; independent of key order
};

/// v for the precision; 0 when the chip has none.
std::int64_t vector_width(const Wafer& wafer, Precision precision);

/// limit = R*C*(SRAM per core)*(1 - reserved), rounded down.
Bytes memory_limit(const Wafer& wafer);

}  // namespace bta
