// Time of one operator's run on the wafer, by resource, and how resources overlap.
//
//   combine(times, omega) = max + (1 - omega)*(sum - max)     omega 1: roofline, 0: no overlap
//
// One GEMM, i inputs, o outputs, n_r token slots per row (cycles; divided by the clock here):
//   compute    n_r*i*o / (C*v*eta)
//   sram       n_r*i*o / C * max(4/read_port, 2/write_port)     scaled by a/2 for a-byte operands
//   broadcast  i*o*w / (C*link)
//   reduce     n_r*o*r / link
// data gradient: as forward with i and o exchanged. weight gradient: compute and sram as forward,
// reduce i*o*4/(C*link), no broadcast.
// Scores and context of a tile: n_r*H*(pairs/S)*dim / (C*v*eta_attention); backward twice that.
// Valid for n_r >= 0 whole vectors (or any real for a bound). Vector operators are counted, not timed.
// Source: docs/model.md, "Time".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "cost/operators.h"
#include "cost/workload.h"
#include "hardware/wafer.h"

namespace bta {

enum class Resource { compute, sram, broadcast, reduce, stream_in, stream_out, overhead };
inline constexpr std::size_t resource_count = 7;
inline constexpr std::array<std::string_view, resource_count> resource_names = {
    "compute", "sram", "broadcast", "reduce", "stream-in", "stream-out", "overhead"};

inline std::string_view resource_name(Resource resource) {
  return resource_names[static_cast<std::size_t>(resource)];
}

/// Seconds that each resource is busy.
struct ResourceTimes {
  std::array<double, resource_count> seconds{};
  double& operator[](Resource r) { return seconds[static_cast<std::size_t>(r)]; }
  double operator[](Resource r) const { return seconds[static_cast<std::size_t>(r)]; }
  ResourceTimes& operator+=(const ResourceTimes& other);
};
ResourceTimes operator*(double factor, ResourceTimes times);

/// The busiest resource; a tie names the one that stands first.
Resource binding(const ResourceTimes& times);

/// combine(times, omega); 0 for no times.
double combine(std::span<const double> times, double omega);

/// Elapsed seconds and what each resource was busy for meanwhile.
struct Timed {
  double seconds = 0;
  ResourceTimes busy;
  Timed& operator+=(const Timed& other);
};
Timed operator*(double factor, Timed timed);

/// Elapsed seconds in which no resource works.
void add_overhead(Timed& timed, double seconds);

/// How often a phase runs an operator's forward, and whether it runs its two gradients.
struct Passes {
  std::int64_t forward = 1;
  bool gradients = false;
};

/// n_r = v*ceil(n/(R*v)): token slots per row when n tokens are spread evenly and padded to whole vectors.
double row_slots(std::int64_t tokens, const Wafer& wafer, Precision precision);

/// One operator at `slots` token slots per row.
Timed operator_time(const Operator& op, double slots, Passes passes, const Wafer& wafer,
                    const Workload& workload);

/// The operators of one stage, run one after the other.
Timed stage_time(std::span<const Operator> ops, Stage stage, double slots, Passes passes, const Wafer& wafer,
                 const Workload& workload);

/// On-wafer work against the off-wafer stream: combine([work, max(in, out)], omega_stream).
Timed with_stream(const Timed& work, double in_bytes, double out_bytes, const Wafer& wafer);

/// 2*pairs(S): full 2*S^2, half S^2, both with or without a window; causal S*(S+1), with a window of w keys
/// m*(m+1) + 2*(S-m)*m, m = min(S, w); in chunks of w the sum of c*(c+1) over the chunks' lengths c.
std::int64_t twice_pairs(std::int64_t seq_len, Mask mask, const std::optional<Window>& window);

}  // namespace bta
