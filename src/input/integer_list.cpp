#include <fmt/format.h>

#include <unordered_set>

#include "base/split.h"
#include "input/number.h"
#include "input/quoted.h"

namespace bta {
namespace {

constexpr std::size_t longest_list = 10000;

/// How a range goes on: by adding or by multiplying.
struct Step {
  std::int64_t amount = 1;
  bool multiplies = false;
};

Parsed<Step> parse_step(std::string_view text) {
  const bool multiplies = !text.empty() && text.front() == 'x';
  const IntegerRange range{multiplies ? 2 : 1, INT64_MAX};
  const Parsed<std::int64_t> amount = parse_integer(multiplies ? text.substr(1) : text, range);
  if (!amount) return "the step of a range: " + amount.error();
  return Step{amount.value(), multiplies};
}

/// False when the next value would not fit 64 bits.
bool advance(std::int64_t& value, Step step) {
  return step.multiplies ? !__builtin_mul_overflow(value, step.amount, &value)
                         : !__builtin_add_overflow(value, step.amount, &value);
}

std::string too_long() {
  return fmt::format("a list may hold at most {} values", longest_list);
}

Parsed<std::vector<std::int64_t>> parse_range(std::string_view item, IntegerRange range) {
  const std::vector<std::string> parts = split(item, ':');
  if (parts.size() > 3)
    return in_quotes(item) + " is not a range; write FIRST:LAST, FIRST:LAST:STEP or FIRST:LAST:xFACTOR";
  const Parsed<std::int64_t> first = parse_integer(parts[0], range);
  if (!first) return first.error();
  const Parsed<std::int64_t> last = parts.size() > 1 ? parse_integer(parts[1], range) : first;
  if (!last) return last.error();
  const Parsed<Step> step = parts.size() > 2 ? parse_step(parts[2]) : Parsed<Step>(Step{});
  if (!step) return step.error();
  if (first.value() > last.value())
    return in_quotes(item) + " is an empty range; the first value is above the last";
  if (step.value().multiplies && first.value() < 1)
    return in_quotes(item) + " cannot grow by a factor from a value below 1";
  std::vector<std::int64_t> values;
  std::int64_t value = first.value();
  do {
    if (values.size() == longest_list) return too_long();
    values.push_back(value);
  } while (advance(value, step.value()) && value <= last.value());
  return values;
}

}  // namespace

Parsed<std::vector<std::int64_t>> parse_integer_list(std::string_view text, IntegerRange range) {
  std::vector<std::int64_t> values;
  std::unordered_set<std::int64_t> seen;
  for (const std::string& item : split(text, ',')) {
    if (item.empty()) return in_quotes(text) + " has a gap; write whole numbers separated by single commas";
    const Parsed<std::vector<std::int64_t>> part = parse_range(item, range);
    if (!part) return part.error();
    for (const std::int64_t value : part.value()) {
      if (!seen.insert(value).second)
        return fmt::format("{} holds {} twice; each value may stand once", in_quotes(text), value);
      values.push_back(value);
    }
    if (values.size() > longest_list) return too_long();
  }
  return values;
}

}  // namespace bta
