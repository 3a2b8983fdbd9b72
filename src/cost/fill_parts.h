// The beats of a lockstep run and the closed form they are compared with, one layer's phase at a time, both
// from the seconds of work and of each load and store. Part of fill.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "cost/expert_time.h"
#include "cost/traffic.h"

namespace bta::fill_parts {

/// Seconds at both ends of omega_stream.
struct Ends {
  double serial = 0, overlapped = 0;

  void beat(double work, double in, double out, double times = 1) {
    serial += times * (work + std::max(in, out));
    overlapped += times * std::max({work, in, out});
  }
  double at(double omega) const { return omega * overlapped + (1 - omega) * serial; }
};

/// Seconds on the two channels.
struct Channels {
  double weights_in, checkpoint_in, gradients_out, checkpoint_out;
};
inline Channels channels(const Wafer& wafer, const PhaseTraffic& traffic) {
  const double in = wafer.stream_in_bytes_per_s, out = wafer.stream_out_bytes_per_s;
  return {as_double(traffic.weights_in) / in, as_double(traffic.checkpoint_in) / in,
          as_double(traffic.gradients_out) / out, as_double(traffic.checkpoint_out) / out};
}

/// A phase of `tiles` tiles of `work` seconds; checkpoints are those of one tile.
inline Ends tiled_run(const Channels& c, double work, double tiles) {
  Ends run;
  run.beat(0, c.weights_in + c.checkpoint_in, 0);
  run.beat(work, c.checkpoint_in, c.checkpoint_out, tiles - 1);
  run.beat(work, 0, c.checkpoint_out);
  run.beat(0, 0, c.gradients_out);
  return run;
}

inline double tiled_closed(const Channels& c, double work, double tiles, double omega) {
  const double in = c.weights_in + tiles * c.checkpoint_in, out = c.gradients_out + tiles * c.checkpoint_out;
  return combine(std::array{tiles * work, std::max(in, out)}, omega);
}

/// The experts' row loads with the work at each of them.
class ExpertBeats {
 public:
  ExpertBeats(const Problem& problem, const ProblemLayer& layer, PhaseKind kind, const LayerLoads& loads)
      : channels_(channels(problem.wafer, parameter_traffic(problem, layer.operators, kind))) {
    for (const LoadGroup& group : loads) {
      Group& known = groups_.emplace_back();
      known.experts = group.experts;
      experts_ += group.experts;
      for (const auto& [slots, probability] : group.slots) {
        const ForwardBackward work = expert_work(problem, layer, slots);
        const Timed& timed = kind == PhaseKind::experts_forward ? work.forward : work.backward;
        known.work.push_back({timed.seconds, probability});
      }
    }
  }

  /// Without the moves and without Y. First and last expert are those of the first and of the last group.
  Ends run() const {
    const double in = channels_.weights_in, out = channels_.gradients_out;
    Ends run;
    run.beat(0, in, 0);
    if (experts_ > 1) {
      for (const Group& group : groups_) add(run, group, in, out, group.experts);
      replace(run, groups_.front(), {in, out}, {in, 0});
      replace(run, groups_.back(), {in, out}, {0, out});
    } else {
      add(run, groups_.front(), 0, 0, 1);
    }
    run.beat(0, 0, out);
    return run;
  }

  /// Sum of E[h].
  double closed(double omega) const {
    const double stream = std::max(channels_.weights_in, channels_.gradients_out);
    double seconds = 0;
    for (const Group& group : groups_)
      for (const Work& work : group.work)
        seconds += group.experts * work.probability * combine(std::array{work.seconds, stream}, omega);
    return seconds;
  }

  double in() const { return experts_ * channels_.weights_in; }
  double out() const { return experts_ * channels_.gradients_out; }

 private:
  struct Work {
    double seconds, probability;
  };
  struct Group {
    double experts = 0;
    std::vector<Work> work;
  };
  struct InOut {
    double in, out;
  };

  static void add(Ends& run, const Group& group, double in, double out, double times) {
    for (const Work& work : group.work) run.beat(work.seconds, in, out, times * work.probability);
  }
  static void replace(Ends& run, const Group& group, InOut before, InOut after) {
    add(run, group, before.in, before.out, -1);
    add(run, group, after.in, after.out, 1);
  }

  Channels channels_;
  std::vector<Group> groups_;
  double experts_ = 0;
};

}  // namespace bta::fill_parts
