#include "cost/roofline.h"

#include <doctest/doctest.h>

#include <array>

#include "support/approx.h"
#include "support/fixtures.h"

using namespace bta;

namespace {

constexpr Passes forward{.forward = 1, .gradients = false};

/// 10 x 20 cores at 1 GHz with rates that give round numbers.
Wafer round_wafer() {
  Wafer wafer = fixtures::cs2();
  wafer.rows = 10;
  wafer.columns = 20;
  wafer.clock_hz = 1e9;
  wafer.gemm_efficiency = 0.5;
  wafer.attention_efficiency = 0.25;
  wafer.partial_sum_bytes = 4;
  return wafer;
}

const Operator gemm{"gemm", Stage::attention, Gemm{.inputs = 200, .outputs = 100}, 20000};

}  // namespace

TEST_SUITE("unit") {
  TEST_CASE("combine: omega 1 is the slowest, omega 0 is the sum, between them a straight line") {
    const std::array times{1.0, 4.0, 2.0};
    CHECK(combine(times, 1) == 4);
    CHECK(combine(times, 0) == 7);
    CHECK(combine(times, 0.5) == 5.5);
    CHECK(combine({}, 0.5) == 0);
  }

  TEST_CASE("a row's share is padded to whole vectors") {
    const Wafer wafer = round_wafer();  // 10 rows, 4 tokens a vector
    CHECK(row_slots(1, wafer, Precision::fp16) == 4);
    CHECK(row_slots(40, wafer, Precision::fp16) == 4);
    CHECK(row_slots(41, wafer, Precision::fp16) == 8);
  }

  TEST_CASE("the four resources of a forward GEMM, by hand") {
    const Timed timed = operator_time(gemm, 8, forward, round_wafer(), {});
    CHECK(timed.busy[Resource::compute] == bta::approx(8 * 20000 / (20 * 4 * 0.5) * 1e-9).epsilon(1e-14));
    CHECK(timed.busy[Resource::sram] == bta::approx(8 * 20000 / 20.0 * 0.25 * 1e-9).epsilon(1e-14));
    CHECK(timed.busy[Resource::broadcast] == bta::approx(20000 * 2 / (20 * 4.0) * 1e-9).epsilon(1e-14));
    CHECK(timed.busy[Resource::reduce] == bta::approx(8 * 100 * 4 / 4.0 * 1e-9).epsilon(1e-14));
    CHECK(timed.seconds == timed.busy[Resource::compute]);  // 4000 ns is the largest
  }

  TEST_CASE("gradients: data gradient exchanges i and o, weight gradient reduces down the columns once") {
    const Timed timed = operator_time(gemm, 8, {.forward = 0, .gradients = true}, round_wafer(), {});
    CHECK(timed.busy[Resource::compute] == bta::approx(2 * 4000e-9).epsilon(1e-14));
    CHECK(timed.busy[Resource::broadcast] == bta::approx(500e-9).epsilon(1e-14));
    CHECK(timed.busy[Resource::reduce] ==
          bta::approx((8 * 200 * 4 / 4.0 + 20000 * 4 / (20 * 4.0)) * 1e-9).epsilon(1e-14));
  }

  TEST_CASE("no overlap on the wafer adds the resources up") {
    Wafer wafer = round_wafer();
    wafer.wafer_overlap = 0;
    const Timed timed = operator_time(gemm, 8, forward, wafer, {});
    CHECK(timed.seconds == bta::approx((4000 + 2000 + 500 + 800) * 1e-9).epsilon(1e-14));
  }

  TEST_CASE("wider operands move more bytes through the SRAM ports") {
    Workload fp32;
    fp32.bytes.activation = 4;
    Wafer wafer = round_wafer();
    const double half = operator_time(gemm, 8, forward, wafer, {}).busy[Resource::sram];
    CHECK(operator_time(gemm, 8, forward, wafer, fp32).busy[Resource::sram] == bta::approx(2 * half));
  }

  TEST_CASE("the slower SRAM port counts: 4 bytes read and 2 written per multiply-add") {
    Wafer wafer = round_wafer();
    wafer.sram_read_bytes_per_cycle = 4;
    CHECK(operator_time(gemm, 8, forward, wafer, {}).busy[Resource::sram] ==
          bta::approx(8000e-9).epsilon(1e-14));
    wafer.sram_write_bytes_per_cycle = 1;
    CHECK(operator_time(gemm, 8, forward, wafer, {}).busy[Resource::sram] ==
          bta::approx(16000e-9).epsilon(1e-14));
  }

  TEST_CASE("scores and context follow the mask, gradients cost twice the forward") {
    const Operator scores{"scores", Stage::attention, AttentionProduct{.heads = 2, .head_dim = 16}, 0};
    Workload workload;
    workload.seq_len = 64;
    const double full = operator_time(scores, 8, forward, round_wafer(), workload).seconds;
    CHECK(full == bta::approx(8 * 2 * 64 * 16 / (20 * 4 * 0.25) * 1e-9).epsilon(1e-14));
    CHECK(operator_time(scores, 8, {.forward = 1, .gradients = true}, round_wafer(), workload).seconds ==
          bta::approx(3 * full));
    workload.mask = Mask::causal;
    CHECK(operator_time(scores, 8, forward, round_wafer(), workload).seconds == bta::approx(full * 65 / 128));
  }

  TEST_CASE("pairs of a causal window are those that a double loop counts, other masks know no window") {
    const auto counted = [](std::int64_t seq_len, std::int64_t window) {
      std::int64_t pairs = 0;
      for (std::int64_t query = 0; query < seq_len; ++query)
        for (std::int64_t key = 0; key <= query; ++key) pairs += query - key < window ? 1 : 0;
      return pairs;
    };
    for (std::int64_t seq_len = 1; seq_len <= 24; ++seq_len) {
      for (std::int64_t window = 1; window <= seq_len + 3; ++window) {
        CHECK(twice_pairs(seq_len, Mask::causal, Window{window}) == 2 * counted(seq_len, window));
        CHECK(twice_pairs(seq_len, Mask::full, Window{window}) == 2 * seq_len * seq_len);
        CHECK(twice_pairs(seq_len, Mask::half, Window{window}) == seq_len * seq_len);
      }
      CHECK(twice_pairs(seq_len, Mask::causal, Window{1}) == 2 * seq_len);
      CHECK(twice_pairs(seq_len, Mask::causal, Window{seq_len}) == seq_len * (seq_len + 1));
      CHECK(twice_pairs(seq_len, Mask::causal, {}) == seq_len * (seq_len + 1));
    }
  }

  TEST_CASE("chunks of a causal mask: pairs are those that a double loop counts") {
    for (std::int64_t seq_len = 1; seq_len <= 12; ++seq_len)
      for (std::int64_t chunk = 1; chunk <= seq_len + 2; ++chunk) {
        std::int64_t pairs = 0;
        for (std::int64_t query = 0; query < seq_len; ++query)
          for (std::int64_t key = 0; key <= query; ++key) pairs += query / chunk == key / chunk ? 1 : 0;
        CHECK(twice_pairs(seq_len, Mask::causal, Window{chunk, true}) == 2 * pairs);
      }
  }

  TEST_CASE("a window shortens scores and context of a causal mask") {
    const Operator scores{"scores", Stage::attention, AttentionProduct{2, 16, Window{8}}, 0};
    Workload workload;
    workload.seq_len = 64;
    const double full = operator_time(scores, 8, forward, round_wafer(), workload).seconds;
    workload.mask = Mask::causal;
    CHECK(operator_time(scores, 8, forward, round_wafer(), workload).seconds ==
          bta::approx(full * (8 * 9 / 2 + 56 * 8) / (64 * 64)));
  }

  TEST_CASE("vector operators are counted, not timed") {
    const Operator norm{"norm", Stage::attention, TokenVector{.elements = 64, .flops_per_element = 4}, 64};
    CHECK(operator_time(norm, 8, forward, round_wafer(), {}).seconds == 0);
  }

  TEST_CASE("the stream: slower channel counts, both channels are busy") {
    Wafer wafer = round_wafer();
    wafer.stream_in_bytes_per_s = 1e9;
    wafer.stream_out_bytes_per_s = 2e9;
    Timed work;
    work.seconds = 5;
    wafer.stream_overlap = 1;
    CHECK(with_stream(work, 3e9, 8e9, wafer).seconds == 5);
    CHECK(with_stream(work, 3e9, 12e9, wafer).seconds == 6);
    wafer.stream_overlap = 0;
    CHECK(with_stream(work, 3e9, 8e9, wafer).seconds == 9);
    CHECK(with_stream(work, 3e9, 8e9, wafer).busy[Resource::stream_in] == 3);
    CHECK(with_stream(work, 3e9, 8e9, wafer).busy[Resource::stream_out] == 4);
  }

  TEST_CASE("a tie names the resource that stands first") {
    ResourceTimes times;
    times[Resource::sram] = times[Resource::reduce] = 2;
    times[Resource::overhead] = 1;
    CHECK(binding(times) == Resource::sram);
  }
}
