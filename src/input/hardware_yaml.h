// A wafer in this project's YAML. Keys (unknown ones are refused; all required but those in brackets):
//   name
//   grid             rows columns
//   core             sram reserved_fraction clock multiply_adds_per_cycle: {fp16 [bf16] [fp32]}
//                    sram_read_bytes_per_cycle sram_write_bytes_per_cycle link_bytes_per_cycle
//   off_wafer        stream_in stream_out
//   system           wafers
//   peak             dense [sparse_marketing]
//   efficiency       gemm attention partial_sum_bytes wafer_overlap stream_overlap
//                    layer_overhead tile_overhead expert_overhead
//   attention_kernel score_heads (a number or `all`) score_tensors_forward score_tensors_backward
//                    block_rows
//   [calibration]    how sure the calibrated numbers are, see calibration_yaml.h
// Any map may hold `kind` and `source` for the numbers below it; a number may be {value, kind, source}.
#pragma once

#include "hardware/wafer.h"
#include "input/node.h"
#include "input/read_log.h"

namespace bta {

/// Whole and valid when the log is clean, else of no use. `numbers` and `content_hash` are
/// not filled.
Wafer read_wafer_yaml(const Node& root, ReadLog& log);

}  // namespace bta
