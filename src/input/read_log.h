// What reading one document leaves behind: every problem found, and every number with its standing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "hardware/wafer.h"
#include "input/node.h"

namespace bta {

class ReadLog {
 public:
  static constexpr std::size_t most_reported = 100;

  /// `problems`: those already found while the document was read.
  ReadLog(std::string file, Diagnostics problems) : file_(std::move(file)), problems_(std::move(problems)) {}

  /// At the value's place, or at the option that overrode it.
  void problem(const Node& value, std::string_view key, std::string message);
  /// At the place of the value's key.
  void key_problem(const Node& value, std::string_view key, std::string message);
  void number(SourcedNumber number) { numbers_.push_back(std::move(number)); }

  bool clean() const { return problems_.empty(); }
  /// In the order of the file, those of overrides last, and beyond a hundred only their number.
  Diagnostics sorted_problems() const;
  const std::vector<SourcedNumber>& numbers() const { return numbers_; }

 private:
  void add(const Node& value, Position at, std::string_view key, std::string message);

  std::string file_;
  Diagnostics problems_;
  std::vector<SourcedNumber> numbers_;
};

}  // namespace bta
