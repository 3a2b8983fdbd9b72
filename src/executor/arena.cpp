#include "executor/arena.h"

#include <algorithm>
#include <cassert>

namespace bta::executor {

void Arena::enter(MemoryPhase phase, std::size_t layer) {
  records_.push_back({phase, layer, current_, {}});
  in_phase_ = true;
  step(1);
}

void Arena::step(int number) {
  assert(number >= 1 && number <= step_count);
  step_ = number;
  for (std::size_t name = 0; name < names_.size(); ++name) note(name);
}

Arena::Handle Arena::allocate(std::string_view name, Bytes bytes) {
  const Block block{name_index(name), bytes.value};
  change(block.name, block.bytes);
  if (free_.empty()) {
    blocks_.push_back(block);
    return blocks_.size() - 1;
  }
  const Handle handle = free_.back();
  free_.pop_back();
  blocks_[handle] = block;
  return handle;
}

void Arena::release(Handle handle) {
  change(blocks_[handle].name, -blocks_[handle].bytes);
  free_.push_back(handle);
}

void Arena::rename(Handle handle, std::string_view name) {
  Block& block = blocks_[handle];
  change(block.name, -block.bytes);
  block.name = name_index(name);
  change(block.name, block.bytes);
}

std::vector<PhaseUse> Arena::phases() const {
  std::vector<PhaseUse> uses;
  for (const Record& record : records_) {
    PhaseUse use{record.phase, record.layer, Bytes(record.peak), {}};
    for (std::size_t s = 0; s < use.steps.size(); ++s)
      for (std::size_t name = 0; name < record.most[s].size(); ++name)
        if (record.most[s][name] > 0) use.steps[s].push_back({names_[name], Bytes(record.most[s][name])});
    uses.push_back(std::move(use));
  }
  return uses;
}

/// Names are string literals: the same pointer is the same name, another pointer may be.
std::size_t Arena::name_index(std::string_view name) {
  const auto known = index_.find(name.data());
  if (known != index_.end()) return known->second;
  const auto found = std::ranges::find(names_, name);
  const auto index = static_cast<std::size_t>(found - names_.begin());
  if (found == names_.end()) {
    names_.push_back(name);
    alive_.push_back(0);
  }
  return index_[name.data()] = index;
}

void Arena::change(std::size_t name, std::int64_t bytes) {
  alive_[name] += bytes;
  current_ = checked_add(current_, bytes);
  peak_ = std::max(peak_, current_);
  if (keep_events_) events_.push_back({names_[name], Bytes(bytes), Bytes(current_)});
  if (!in_phase_) return;
  records_.back().peak = std::max(records_.back().peak, current_);
  note(name);
}

/// What is alive under a name counts for the present step.
void Arena::note(std::size_t name) {
  if (alive_[name] == 0) return;
  Sizes& most = records_.back().most[static_cast<std::size_t>(step_ - 1)];
  if (most.size() <= name) most.resize(names_.size(), 0);
  most[name] = std::max(most[name], alive_[name]);
}

}  // namespace bta::executor
