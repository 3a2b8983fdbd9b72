// Options as values. Numbers follow the rules of files: `010`, `0x10`, `1_000`, `nan` are refused, `1e3`
// is 1000. What is wrong is collected, so that one run tells all of it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "input/number.h"

namespace bta::cli {

/// Counts that a user may give; all are exact as doubles.
inline constexpr IntegerRange positive_integers{1, std::int64_t{1} << 53};

class OptionReader {
 public:
  explicit OptionReader(const Arguments& arguments) : arguments_(&arguments), errors_(arguments.errors) {}

  bool has(const std::string& option) const { return arguments_->has(option); }
  std::optional<std::string> text(const std::string& option) const;
  std::vector<std::string> texts(const std::string& option) const;
  std::optional<std::int64_t> integer(const std::string& option, IntegerRange range);
  std::optional<double> real(const std::string& option, RealRange range);
  /// Empty when the option is absent (or wrong).
  std::vector<std::int64_t> integers(const std::string& option, IntegerRange range);

  /// Sets `target` to the enumerator whose name was given.
  template <class Enum>
  void choose(const std::string& option, std::span<const std::string_view> names, Enum& target) {
    if (const std::optional<std::size_t> index = choice(option, names)) target = static_cast<Enum>(*index);
  }

  void error(const std::string& option, std::string message);
  void errors(const Diagnostics& more);
  const Diagnostics& found() const { return errors_; }

 private:
  std::optional<std::size_t> choice(const std::string& option, std::span<const std::string_view> names);

  const Arguments* arguments_;
  Diagnostics errors_;
};

}  // namespace bta::cli
