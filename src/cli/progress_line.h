// One line on stderr that says what is being done: only on a terminal, replaced in place, gone at the end. No
// colour, so NO_COLOR has nothing to switch off.
#pragma once

#include <cstddef>
#include <string_view>

namespace bta::cli {

class ProgressLine {
 public:
  /// Shows nothing when it is not wanted or stderr is no terminal.
  explicit ProgressLine(bool wanted);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine(ProgressLine&&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ProgressLine& operator=(ProgressLine&&) = delete;
  ~ProgressLine() { clear(); }

  /// Cut to the terminal's width: a line that wraps could not be taken back.
  void show(std::string_view text);

 private:
  void clear();

  bool shown_;
  std::size_t columns_ = 0;  // of the terminal that are written on
};

}  // namespace bta::cli
