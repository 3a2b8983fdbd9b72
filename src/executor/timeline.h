// A run of the step on three resources: the wafer, the channel in, the channel out. The schedule emits beats;
// the members of a beat are what a double buffer lets run at the same time (an expert, the weights of the
// next one, the gradients of the last one). In lockstep a beat takes as long as its longest member with full
// overlap; without overlap the two channels run first, together, then the wafer; an overlap between is
// interpolated. What a phase must wait for at its begin and its end is therefore in the run: fill and drain.
//
// Beside the lockstep runs a queue of events: work waits for its load, for the work before it and for the
// store whose buffer it takes; a load for the work whose buffer it takes; a store for its work.
#pragma once

#include <array>
#include <vector>

#include "base/count.h"
#include "cost/phases.h"
#include "executor/fabric.h"

namespace bta::executor {

/// Elapsed seconds of all phases of one kind, and what was busy meanwhile.
struct PhaseSpan {
  double serial = 0;      // omega_stream = 0
  double overlapped = 0;  // omega_stream = 1
  double queued = 0;      // omega_stream = 1, every buffer used again as soon as it is free
  Busy work;
  double stream_in = 0, stream_out = 0;

  double seconds(double omega) const { return omega * overlapped + (1 - omega) * serial; }
};

/// One beat, for those who want to draw it: when it began and how long each resource ran, at full overlap.
struct Beat {
  PhaseKind kind = PhaseKind::fixed;
  double begin = 0, work = 0, in = 0, out = 0;
};

class Timeline {
 public:
  explicit Timeline(const Wafer& wafer, bool keep_beats = false);

  void begin(PhaseKind kind);
  void work(const Busy& busy);
  void overhead(double seconds);
  /// A move on the wafer that overlaps with nothing: busy on one of its resources.
  void dispatch(double seconds);
  void combine(double seconds);
  void in(Bytes bytes);
  void out(Bytes bytes);
  /// Leaves beside the whole phase rather than beside one beat.
  void background_out(Bytes bytes);
  void beat();
  void end();

  const std::array<PhaseSpan, phase_names.size()>& phases() const { return phases_; }
  const std::vector<Beat>& beats() const { return beats_; }
  double seconds(double omega) const;
  double queued_seconds() const;

 private:
  /// When each resource is done with what it has been given in this phase.
  struct Clocks {
    double work = 0, in = 0, out = 0;
  };

  PhaseSpan& span() { return phases_[static_cast<std::size_t>(kind_)]; }

  double in_rate_, out_rate_;
  bool keep_beats_;
  PhaseKind kind_ = PhaseKind::fixed;
  double work_ = 0, in_ = 0, out_ = 0;  // of the open beat
  double background_ = 0;               // of the open phase
  double phase_overlapped_ = 0;         // of the open phase
  Clocks done_;                         // of the open phase
  double now_ = 0;                      // at full overlap
  std::array<PhaseSpan, phase_names.size()> phases_;
  std::vector<Beat> beats_;
};

}  // namespace bta::executor
