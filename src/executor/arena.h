// The wafer's memory as the schedule uses it. Every tensor passes through here by name with its declared
// bytes; the arithmetic behind it may be double, float or absent. Records, for every phase of every layer,
// which names were alive at each step of docs/schedule.md and how many bytes each took (the most at any
// moment; equal names are added up), and the peak.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/count.h"
#include "cost/phases.h"

namespace bta::executor {

struct NamedBytes {
  std::string_view name;
  Bytes bytes;
  bool operator==(const NamedBytes&) const = default;
};

inline constexpr int step_count = 5;  // steps of a phase, 1..5

/// What one phase of one layer used.
struct PhaseUse {
  MemoryPhase phase = MemoryPhase::head;
  std::size_t layer = 0;                                  // index into Model::layers; 0 for the head
  Bytes peak;                                             // most bytes alive at once
  std::array<std::vector<NamedBytes>, step_count> steps;  // names alive at each step, in order of first use
};

/// One allocation, release or renaming, in order.
struct ArenaEvent {
  std::string_view name;
  Bytes change;  // negative: released
  Bytes current;
};

class Arena {
 public:
  using Handle = std::size_t;

  /// keep_events: also keep every event, for small runs.
  explicit Arena(bool keep_events = false) : keep_events_(keep_events) {}

  /// Begins a phase, at step 1.
  void enter(MemoryPhase phase, std::size_t layer);
  void step(int number);
  /// Ends it: what happens until the next one belongs to no phase.
  void leave() { in_phase_ = false; }

  Handle allocate(std::string_view name, Bytes bytes);
  void release(Handle handle);
  /// The same memory under another name, from the next phase or allocation on.
  void rename(Handle handle, std::string_view name);

  Bytes current() const { return Bytes(current_); }
  Bytes peak() const { return Bytes(peak_); }
  std::vector<PhaseUse> phases() const;
  const std::vector<ArenaEvent>& events() const { return events_; }
  std::size_t live() const { return blocks_.size() - free_.size(); }

 private:
  using Sizes = std::vector<std::int64_t>;  // by name
  struct Record {
    MemoryPhase phase = MemoryPhase::head;
    std::size_t layer = 0;
    std::int64_t peak = 0;
    std::array<Sizes, step_count> most;
  };
  struct Block {
    std::size_t name = 0;
    std::int64_t bytes = 0;
  };

  std::size_t name_index(std::string_view name);
  void change(std::size_t name, std::int64_t bytes);
  void note(std::size_t name);

  bool keep_events_;
  bool in_phase_ = false;
  int step_ = 1;
  std::int64_t current_ = 0, peak_ = 0;
  std::vector<std::string_view> names_;
  std::unordered_map<const char*, std::size_t> index_;
  Sizes alive_;  // bytes alive under each name
  std::vector<Block> blocks_;
  std::vector<Handle> free_;
  std::vector<Record> records_;
  std::vector<ArenaEvent> events_;
};

}  // namespace bta::executor
