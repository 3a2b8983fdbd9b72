// Cycles by hand on a fabric of 2 rows and 2 columns.
#include "executor/fabric.h"

#include <doctest/doctest.h>

#include "support/approx.h"
#include "support/fixtures.h"

namespace {

using namespace bta;
using namespace bta::executor;

/// 2 x 2 cores at 1 Hz: seconds are cycles.
Wafer tiny() {
  Wafer wafer = fixtures::cs2();
  wafer.rows = wafer.columns = 2;
  wafer.clock_hz = 1;
  wafer.gemm_efficiency = 0.5;
  wafer.attention_efficiency = 0.25;
  wafer.partial_sum_bytes = 3;
  wafer.wafer_overlap = 1;
  return wafer;  // v 4, read 16, write 8, link 4
}

TEST_SUITE_BEGIN("executor");

TEST_CASE("a GEMM of 6 inputs and 10 outputs on 3 vectors a row") {
  const Operator op{"gemm", Stage::attention, Gemm{6, 10}, 60};
  const Busy forward = operator_busy(op, Pass::forward, 3, 0, tiny(), {});
  CHECK(forward.compute == 3 * 30 / 0.5);    // 30 weights a column, a cycle each and vector
  CHECK(forward.sram == 12 * 30 * 0.25);     // 2*2/16 read and 2/8 written a cycle
  CHECK(forward.broadcast == 30 * 2 / 4.0);  // 30 weights of 2 bytes over 4 bytes a cycle
  CHECK(forward.reduce == 12 * 10 * 3 / 4.0);
  CHECK(forward.seconds == forward.compute);
  const Busy input = operator_busy(op, Pass::input_gradient, 3, 0, tiny(), {});
  CHECK(input.reduce == 12 * 6 * 3 / 4.0);
  CHECK(input.broadcast == forward.broadcast);
  const Busy weight = operator_busy(op, Pass::weight_gradient, 3, 0, tiny(), {});
  CHECK(weight.broadcast == 0);
  CHECK(weight.reduce == 30 * 4 / 4.0);
}

TEST_CASE("without overlap an operator takes the sum of its resources") {
  Wafer wafer = tiny();
  wafer.wafer_overlap = 0;
  const Operator op{"gemm", Stage::attention, Gemm{6, 10}, 60};
  const Busy busy = operator_busy(op, Pass::forward, 3, 0, wafer, {});
  CHECK(busy.seconds == bta::approx(busy.compute + busy.sram + busy.broadcast + busy.reduce));
}

TEST_CASE("scores of 2 heads of 5 over 4 keys: 3 vectors, 40 multiply-adds a token over 2 columns") {
  Workload workload;
  workload.seq_len = 4;
  const Operator op{"scores", Stage::attention, AttentionProduct{2, 5}, 0};
  CHECK(operator_busy(op, Pass::forward, 3, computed_pairs(op, workload), tiny(), workload).compute ==
        3 * 40 / 2.0 / 0.25);
  workload.mask = Mask::causal;  // 10 of 16 pairs
  CHECK(operator_busy(op, Pass::forward, 3, computed_pairs(op, workload), tiny(), workload).compute ==
        bta::approx(3 * 25 / 2.0 / 0.25));
}

TEST_CASE("rows are filled in whole vectors, and an expert without tokens needs none") {
  CHECK(even_vectors(8, tiny(), Precision::fp16) == 1);
  CHECK(even_vectors(9, tiny(), Precision::fp16) == 2);
  CHECK(row_vectors(4, tiny(), Precision::fp16) == 1);
  CHECK(row_vectors(5, tiny(), Precision::fp16) == 2);
  Workload workload;
  CHECK(expert_vectors(tiny(), workload, {.tokens = 9, .fullest_row = 9}) == 3);
  CHECK(expert_vectors(tiny(), workload, {.tokens = 0, .fullest_row = 0}) == 0);
  workload.placement = Placement::compacted;
  CHECK(expert_vectors(tiny(), workload, {.tokens = 9, .fullest_row = 9}) == 2);
}

TEST_CASE("pairs that the chip computes: the square, the triangle, the triangle of a window") {
  CHECK(computed_pairs(5, Mask::full, std::nullopt) == 25);
  CHECK(computed_pairs(5, Mask::full, Window{2}) == 25);
  CHECK(computed_pairs(5, Mask::causal, std::nullopt) == 15);
  CHECK(computed_pairs(5, Mask::causal, Window{2}) == 9);
  CHECK(computed_pairs(5, Mask::causal, Window{1}) == 5);
  CHECK(computed_pairs(5, Mask::causal, Window{99}) == 15);
}

TEST_SUITE_END();

}  // namespace
