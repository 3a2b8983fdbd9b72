// Where results and messages go. A file appears whole or not at all: the finished text goes to a temporary
// file beside it, which then takes its name; a run that is interrupted leaves nothing. Devices and pipes are
// written directly.
#pragma once

#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace bta::cli {

class Output {
 public:
  /// Looks before the work begins, so that a wrong path costs no time. "-" is stdout. `option` named the
  /// path.
  static Result<Output> open(const std::string& path, const std::string& option = "--output");

  Output(Output&& other) noexcept;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  Output& operator=(Output&&) = delete;
  ~Output();

  /// True when everything is written, or nobody reads any more (a closed pipe). Else says why on stderr.
  bool write(std::string_view text);

 private:
  Output(std::string shown, int descriptor) : shown_(std::move(shown)), descriptor_(descriptor) {}
  bool create_temporary();
  bool put_in_place();
  bool fail(int error);

  std::string shown_;      // as the user named it
  std::string target_;     // the file to replace; empty when written directly
  std::string temporary_;  // empty when there is none (any more)
  int descriptor_ = -1;
};

/// Whether both paths name one file; "-" is stdout.
bool same_file(const std::string& a, const std::string& b);

void say_note(std::string_view text);
void say_errors(const Diagnostics& errors);

}  // namespace bta::cli
