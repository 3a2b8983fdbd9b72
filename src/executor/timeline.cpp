#include "executor/timeline.h"

#include <algorithm>

namespace bta::executor {

Timeline::Timeline(const Wafer& wafer, bool keep_beats)
    : in_rate_(wafer.stream_in_bytes_per_s),
      out_rate_(wafer.stream_out_bytes_per_s),
      keep_beats_(keep_beats) {}

void Timeline::begin(PhaseKind kind) {
  kind_ = kind;
  background_ = phase_overlapped_ = 0;
  done_ = {};
}

void Timeline::work(const Busy& busy) {
  work_ += busy.seconds;
  span().work += busy;
}

void Timeline::overhead(double seconds) {
  work(Busy{.overhead = seconds, .seconds = seconds});
}

void Timeline::dispatch(double seconds) {
  work(Busy{.broadcast = seconds, .seconds = seconds});
}

void Timeline::combine(double seconds) {
  work(Busy{.reduce = seconds, .seconds = seconds});
}

void Timeline::in(Bytes bytes) {
  const double seconds = as_double(bytes) / in_rate_;
  in_ += seconds;
  span().stream_in += seconds;
}

void Timeline::out(Bytes bytes) {
  const double seconds = as_double(bytes) / out_rate_;
  out_ += seconds;
  span().stream_out += seconds;
}

void Timeline::background_out(Bytes bytes) {
  const double seconds = as_double(bytes) / out_rate_;
  background_ += seconds;
  span().stream_out += seconds;
}

void Timeline::beat() {
  const double longest = std::max({work_, in_, out_});
  if (keep_beats_) beats_.push_back({kind_, now_, work_, in_, out_});
  now_ += longest;
  phase_overlapped_ += longest;
  span().serial += work_ + std::max(in_, out_);
  const Clocks before = done_;
  done_.work = std::max({before.work, before.in, before.out}) + work_;
  done_.in = std::max(before.in, before.work) + in_;
  done_.out = std::max(before.out, before.work) + out_;
  work_ = in_ = out_ = 0;
}

void Timeline::end() {
  beat();
  const double rest = std::max(0.0, background_ - phase_overlapped_);
  now_ += rest;
  span().overlapped += phase_overlapped_ + rest;
  span().queued += std::max({done_.work, done_.in, done_.out, background_});
  span().serial += background_;
  begin(PhaseKind::fixed);
}

double Timeline::queued_seconds() const {
  double total = 0;
  for (const PhaseSpan& phase : phases_) total += phase.queued;
  return total;
}

double Timeline::seconds(double omega) const {
  double total = 0;
  for (const PhaseSpan& phase : phases_) total += phase.seconds(omega);
  return total;
}

}  // namespace bta::executor
