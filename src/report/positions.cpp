#include "report/positions.h"

#include <fmt/format.h>

#include <algorithm>

namespace bta {
namespace {

using Positions = std::vector<std::int64_t>;

/// "0, 2 .. 34" for at least three that are equally far apart, else empty.
std::string progression(const Positions& p) {
  if (p.size() < 3) return "";
  const std::int64_t step = p[1] - p[0];
  for (std::size_t i = 2; i < p.size(); ++i)
    if (p[i] - p[i - 1] != step) return "";
  return step == 1 ? "" : fmt::format("{}, {} .. {}", p[0], p[1], p.back());
}

std::vector<std::string> ranges(const Positions& p) {
  std::vector<std::string> texts;
  for (std::size_t first = 0, next = 0; first < p.size(); first = next) {
    for (next = first + 1; next < p.size() && p[next] == p[next - 1] + 1;) ++next;
    texts.push_back(next == first + 1 ? fmt::format("{}", p[first])
                                      : fmt::format("{}-{}", p[first], p[next - 1]));
  }
  return texts;
}

/// A long list is cut: JSON has it whole.
std::string listed(std::vector<std::string> texts) {
  constexpr std::size_t most = 5;
  std::string text;
  const bool cut = texts.size() > most;
  for (std::size_t i = 0; i < (cut ? most - 2 : texts.size()); ++i) text += (i > 0 ? ", " : "") + texts[i];
  return cut ? text + " .. " + texts.back() : text;
}

Positions others(const Positions& p, std::int64_t layers) {
  Positions rest;
  for (std::int64_t i = 0; i < layers; ++i)
    if (!std::ranges::binary_search(p, i)) rest.push_back(i);
  return rest;
}

}  // namespace

std::string positions_text(const std::vector<std::int64_t>& positions, std::int64_t layers) {
  const Positions rest = others(positions, layers);
  if (rest.empty()) return "all";
  if (std::string text = progression(positions); !text.empty()) return text;
  if (const std::string text = progression(rest); !text.empty()) return "all but " + text;
  return listed(ranges(positions));
}

std::string layers_like(const Model& model, std::int64_t deepest) {
  if (deepest == 0) return "";
  const auto& layers = model.layers;
  const Layer& last = layers.at(static_cast<std::size_t>(deepest - 1));
  Positions positions;
  for (std::size_t i = 0; i < layers.size(); ++i)
    if (layers[i] == last) positions.push_back(static_cast<std::int64_t>(i));
  if (positions.size() == layers.size()) return "";
  return positions_text(positions, static_cast<std::int64_t>(layers.size()));
}

}  // namespace bta
