// What an operator keeps busy on the wafer, counted core by core from the hardware description. Written apart
// from cost/roofline.h, so that the two can be compared. A row of cores works through its tokens in vectors
// of v; a column of cores holds i*o/C weights of a matrix.
//
//   compute    every weight meets every vector: one cycle each, over the efficiency
//   sram       every weight meets every token: two operands read, one written, the slower port counts
//   broadcast  a column's weights come down its link, w bytes each
//   reduce     every token slot sends r bytes for each output along the row
//
// Input gradient: the transposed matrix. Weight gradient: nothing comes down; 4-byte sums of the column's
// weights go along the link. Scores and context: H*dim multiply-adds for each computed pair, spread over the
// columns.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "cost/operators.h"
#include "cost/workload.h"
#include "hardware/wafer.h"

namespace bta::executor {

enum class Pass { forward, input_gradient, weight_gradient };

/// Seconds of each resource on the wafer, and of the whole when they overlap as the wafer's description says.
struct Busy {
  double compute = 0, sram = 0, broadcast = 0, reduce = 0, overhead = 0;
  double seconds = 0;
  Busy& operator+=(const Busy& other);
};

/// Vectors that the fullest row works through: n tokens spread evenly over all rows.
std::int64_t even_vectors(std::int64_t tokens, const Wafer& wafer, Precision precision);
/// The same for a row of `tokens` tokens.
std::int64_t row_vectors(std::int64_t tokens, const Wafer& wafer, Precision precision);

/// `pairs`: computed_pairs of the operator.
Busy operator_busy(const Operator& op, Pass pass, std::int64_t vectors, std::int64_t pairs,
                   const Wafer& wafer, const Workload& workload);

/// How one expert was used in one layer.
struct ExpertLoad {
  std::int64_t tokens = 0;
  std::int64_t fullest_row = 0;               // tokens of the row that holds most of them
  std::vector<std::int64_t> row_tokens = {};  // of every row; empty where only totals were made
};
/// Vectors of the row that decides: the fullest one (masked), or of tokens moved evenly (compacted). 0
/// without tokens.
std::int64_t expert_vectors(const Wafer& wafer, const Workload& workload, const ExpertLoad& load);

/// Every routed token's activations cross the middle of the fabric once.
double move_s(std::int64_t routed_tokens, std::int64_t hidden, const Wafer& wafer, const Workload& workload);

/// (query, key) pairs that the chip computes for one sequence and head, row by row of the mask.
std::int64_t computed_pairs(std::int64_t seq_len, Mask mask, const std::optional<Window>& window);
/// Of one operator, with the window of its attention; 0 for those that know no pairs. Takes S steps.
std::int64_t computed_pairs(const Operator& op, const Workload& workload);

}  // namespace bta::executor
