// Beats: what runs at the same time and what waits, by hand.
#include "executor/timeline.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "support/approx.h"
#include "support/fixtures.h"

namespace {

using namespace bta;
using namespace bta::executor;

/// One byte a second in, half a byte a second out.
Wafer slow_channels() {
  Wafer wafer = fixtures::cs2();
  wafer.stream_in_bytes_per_s = 1;
  wafer.stream_out_bytes_per_s = 0.5;
  return wafer;
}

PhaseSpan span(const Timeline& timeline, PhaseKind kind) {
  return timeline.phases()[static_cast<std::size_t>(kind)];
}

TEST_SUITE_BEGIN("executor");

TEST_CASE("a beat takes its longest member with full overlap, and channels then wafer without") {
  Timeline timeline(slow_channels());
  timeline.begin(PhaseKind::head);
  timeline.overhead(5);
  timeline.in(Bytes(3));
  timeline.out(Bytes(1));
  timeline.beat();
  timeline.end();
  CHECK(span(timeline, PhaseKind::head).overlapped == 5);
  CHECK(span(timeline, PhaseKind::head).serial == 5 + 3);
  CHECK(span(timeline, PhaseKind::head).seconds(0.25) == bta::approx(0.25 * 5 + 0.75 * 8));
  CHECK(timeline.seconds(1) == 5);
}

TEST_CASE("two experts behind a slow stream: the first load and the last store are not hidden") {
  // loads of 4 s, work of 1 s, stores of 2 s: 4 | max(1, 4) | max(1, 2) | 2
  Timeline timeline(slow_channels(), true);
  timeline.begin(PhaseKind::experts_backward);
  timeline.in(Bytes(4));
  timeline.beat();
  timeline.overhead(1);
  timeline.in(Bytes(4));
  timeline.beat();
  timeline.overhead(1);
  timeline.out(Bytes(1));
  timeline.beat();
  timeline.out(Bytes(1));
  timeline.beat();
  timeline.end();
  const PhaseSpan phase = span(timeline, PhaseKind::experts_backward);
  CHECK(phase.overlapped == 4 + 4 + 2 + 2);
  CHECK(phase.serial == 4 + (4 + 1) + (2 + 1) + 2);
  CHECK(phase.queued == 11);  // the first store leaves at 5, while the second load is still on its way
  CHECK(phase.stream_in == 8);
  CHECK(phase.stream_out == 4);
  CHECK(phase.work.overhead == 2);
  CHECK(timeline.beats()[2].begin == 8);
  CHECK(timeline.beats()[2].out == 2);
}

TEST_CASE("what leaves in the background costs nothing beside longer work, and the rest when it is longer") {
  for (const double work : {3.0, 30.0}) {
    Timeline timeline(slow_channels());
    timeline.begin(PhaseKind::experts_forward);
    timeline.background_out(Bytes(10));  // 20 s
    timeline.overhead(work);
    timeline.end();
    CHECK(span(timeline, PhaseKind::experts_forward).overlapped == std::max(work, 20.0));
    CHECK(span(timeline, PhaseKind::experts_forward).serial == work + 20);
  }
}

TEST_CASE("beats of one phase never overlap: each begins where the last one ended") {
  Timeline timeline(slow_channels(), true);
  timeline.begin(PhaseKind::head);
  for (int i = 1; i < 6; ++i) {
    timeline.overhead(i % 3);
    timeline.in(Bytes(i % 2));
    timeline.beat();
  }
  timeline.end();
  double now = 0;
  for (const Beat& beat : timeline.beats()) {
    CHECK(beat.begin == now);
    now += std::max({beat.work, beat.in, beat.out});
  }
  CHECK(now == timeline.seconds(1));
}

TEST_SUITE_END();

}  // namespace
