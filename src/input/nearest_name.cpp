#include <algorithm>
#include <numeric>

#include "input/number.h"

namespace bta {
namespace {

constexpr std::size_t longest_name = 64;  // nobody means a known name with more

/// Case and the choice between - and _ are no difference to a reader.
std::string folded(std::string_view name) {
  std::string result(name);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-') c = '_';
  }
  return result;
}

/// Edit distance with transpositions of neighbours (optimal string alignment), three rows.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({replaced, previous[j] + 1, current[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view wanted, const std::vector<std::string>& names) {
  if (wanted.empty() || wanted.size() > longest_name) return {};
  const std::string target = folded(wanted);
  std::size_t best = std::max<std::size_t>(1, target.size() / 3) + 1;
  std::string nearest;
  for (const std::string& name : names) {
    const std::size_t edits = distance(target, folded(name));
    if (edits >= best || edits >= target.size()) continue;
    best = edits;
    nearest = name;
  }
  return nearest;
}

}  // namespace bta
