#include "input/read_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/characters.h"

namespace bta {
namespace {

/// A key of a user's file may hold line ends and terminal codes.
std::string without_control(std::string_view key) {
  std::string clean(key);
  std::ranges::replace_if(clean, is_control, '?');
  return clean;
}

}  // namespace

void ReadLog::add(const Node& value, Position at, std::string_view key, std::string message) {
  if (!value.origin.empty()) {
    problems_.push_back({value.origin, 0, 0, "", std::move(message)});
  } else {
    problems_.push_back({file_, at.line, at.column, without_control(key), std::move(message)});
  }
}

void ReadLog::problem(const Node& value, std::string_view key, std::string message) {
  add(value, value.at, key, std::move(message));
}

void ReadLog::key_problem(const Node& value, std::string_view key, std::string message) {
  add(value, value.key_at, key, std::move(message));
}

Diagnostics ReadLog::sorted_problems() const {
  const auto place = [this](const Diagnostic& d) { return std::tuple(d.file != file_, d.line, d.column); };
  Diagnostics sorted = problems_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Diagnostic& x, const Diagnostic& y) { return place(x) < place(y); });
  if (sorted.size() > most_reported) {
    const std::size_t rest = sorted.size() - most_reported;
    sorted.resize(most_reported);
    sorted.push_back({file_, 0, 0, "", fmt::format("{} more problems", rest)});
  }
  return sorted;
}

}  // namespace bta
