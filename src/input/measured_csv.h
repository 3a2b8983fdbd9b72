// Measured training runs, one a row, at most 1000. Columns (any order, unknown ones are refused):
//   model         a built-in, or a file beside the CSV; or, with the dimensions below, just a name
//   layers hidden heads [kv_heads] ffn [ffn_matrices] vocab     a dense model's dimensions; vocab 0: no head
//   [experts top_k expert_width]   of a MoE model's run, where they are not the model's own
//   hardware      a built-in, a file beside the CSV, or a short name of a built-in (CS-2); also `system`
//   batch         sequences of all wafers in one step        [micro_batch]   sequences at once on one wafer
//   [tiles]       G, of the micro-batch                      [wafers]        default 1
//   [seq_len]     absent: what the caller says, noted
//   [tokens_per_s] [tokens_per_s_per_wafer] [samples_per_s]    one of them, or several that agree to 1 %
//   [largest_batch]                sequences of one wafer, the largest uniform batch that fitted
//   [use]         fit (default) or report: predicted and shown, not fitted
//   [name source caveat date software kind note]               text for people
// Empty cells are absent. A row without a throughput says only that its batch fits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "hardware/wafer.h"
#include "input/load.h"
#include "model/model.h"

namespace bta {

struct MeasuredRun {
  int line = 0;      // in the file
  std::string name;  // "gpt-j-6b on cerebras-cs2 2.0.3, line 4" when the row has none
  Model model;
  Wafer wafer;
  std::int64_t wafers = 1;
  std::int64_t batch = 1;               // sequences of all wafers in one optimizer step
  std::optional<std::int64_t> seq_len;  // as stated
  std::int64_t micro_batch = 1;         // sequences of one wafer
  std::int64_t tiles = 1;               // divides micro_batch
  std::optional<double> tokens_per_s;   // of all wafers
  std::optional<double> samples_per_s;  // of all wafers, where tokens are not stated
  std::optional<std::int64_t> largest_batch;
  bool fitted = true;
  std::string source;
};

struct MeasuredRuns {
  std::vector<MeasuredRun> runs;
  std::string name;          // of the file, without its folder
  std::string content_hash;  // of its rows, see node.h
};

/// `hardware`: a built-in or a file, for rows that name none. Overrides apply to every model and hardware.
Result<MeasuredRuns> load_measured(const std::string& path, const std::string& hardware,
                                   const std::vector<Override>& model_overrides,
                                   const std::vector<Override>& hardware_overrides);

}  // namespace bta
