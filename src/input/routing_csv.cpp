#include "input/routing_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>

#include "input/document.h"
#include "input/quoted.h"
#include "input/read_log.h"
#include "input/reader.h"
#include "input/text_file.h"

namespace bta {
namespace {

constexpr IntegerRange expert_range{0, (std::int64_t{1} << 16) - 1};
constexpr IntegerRange layer_range{0, (std::int64_t{1} << 53) - 1};
constexpr RealRange token_count_range{0, 9007199254740992.0};  // 2^53

struct Count {
  double tokens = 0;
  const Node* row = nullptr;
};
using LayerCounts = std::map<std::int64_t, Count>;           // by expert
using CountsOfLayers = std::map<std::int64_t, LayerCounts>;  // by layer; one when the file names none

bool names_layers(const Node& table) {
  return find(table.children.front(), "layer") != nullptr;
}

void check_columns(const Node& table, ReadLog& log) {
  if (table.children.empty())
    return log.problem(table, "", "there are no rows; one is needed for every expert: expert,tokens");
  const Node& row = table.children.front();
  Reader reader(row, "", {}, log);
  for (const std::string_view column : {"expert", "tokens", "layer"}) {
    reader.take(column);
    if (column != "layer" && find(row, column) == nullptr)
      log.problem(table, column,
                  fmt::format("there is no column '{}'; expert and tokens are needed", column));
  }
  reader.refuse_unknown_keys();
}

std::string expert_of(std::int64_t expert, std::int64_t layer, bool with_layer) {
  return with_layer ? fmt::format("expert {} of layer {}", expert, layer) : fmt::format("expert {}", expert);
}

CountsOfLayers read_rows(const Node& table, ReadLog& log) {
  const bool with_layer = names_layers(table);
  CountsOfLayers layers;
  for (const Node& row : table.children) {
    Reader reader(row, "", {}, log);
    const auto layer = with_layer ? reader.integer("layer", layer_range) : std::int64_t{0};
    const auto expert = reader.integer("expert", expert_range);
    const auto tokens = reader.real("tokens", token_count_range);
    if (!layer || !expert || !tokens) continue;
    const auto [place, is_new] = layers[*layer].try_emplace(*expert, Count{*tokens, &row});
    if (!is_new)
      reader.problem("expert", fmt::format("{} stands twice, on lines {} and {}; keep one of them",
                                           expert_of(*expert, *layer, with_layer), place->second.row->at.line,
                                           row.at.line));
  }
  return layers;
}

/// E: experts are numbered from 0.
std::int64_t experts_in(const CountsOfLayers& layers) {
  std::int64_t last = 0;
  for (const auto& [layer, counts] : layers) last = std::max(last, counts.rbegin()->first);
  return last + 1;
}

std::int64_t first_missing(const LayerCounts& counts) {
  std::int64_t expert = 0;
  while (counts.contains(expert)) ++expert;
  return expert;
}

/// Every expert in every layer, and a token for some of them.
void check_layers(const CountsOfLayers& layers, bool with_layer, ReadLog& log) {
  const std::int64_t experts = experts_in(layers);
  for (const auto& [layer, counts] : layers) {
    const Node& row = *counts.begin()->second.row;
    const std::int64_t missing = experts - static_cast<std::int64_t>(counts.size());
    const std::string more = missing > 1 ? fmt::format(" (and {} more)", missing - 1) : "";
    if (missing > 0)
      log.problem(row, "expert",
                  fmt::format("{}{} has no row; experts are numbered from 0, here to {}, and each needs one",
                              expert_of(first_missing(counts), layer, with_layer), more, experts - 1));
    if (std::ranges::all_of(counts, [](const auto& entry) { return entry.second.tokens == 0; }))
      log.problem(row, "tokens",
                  fmt::format("all counts{} are 0; some expert must have tokens",
                              with_layer ? fmt::format(" of layer {}", layer) : ""));
  }
}

std::vector<double> counts_of(const LayerCounts& layer) {
  std::vector<double> tokens;
  for (const auto& [expert, count] : layer) tokens.push_back(count.tokens);
  return tokens;
}

std::vector<double> average_profile(const CountsOfLayers& layers) {
  std::vector<double> profile(layers.begin()->second.size(), 0.0);
  for (const auto& [number, layer] : layers) {
    std::vector<double> tokens = counts_of(layer);
    std::ranges::sort(tokens, std::greater{});
    const double all =
        std::accumulate(tokens.rbegin(), tokens.rend(), 0.0) * static_cast<double>(layers.size());
    for (std::size_t place = 0; place < profile.size(); ++place) profile[place] += tokens[place] / all;
  }
  return profile;
}

MeasuredRouting routing_of(const CountsOfLayers& layers, bool with_layer, const std::string& file,
                           const Node& table) {
  const std::string name = on_one_line(std::filesystem::path(file).filename().string());
  if (!with_layer) return {counts_of(layers.begin()->second), name, 0, content_hash(table)};
  return {average_profile(layers), name, static_cast<std::int64_t>(layers.size()), content_hash(table)};
}

}  // namespace

Result<MeasuredRouting> read_routing(std::string_view text, const std::string& file) {
  const Result<Document> document = parse_csv(text, file);
  if (!document) return document.error();
  const Node& table = document.value().root;
  ReadLog log(file, document.value().problems);
  check_columns(table, log);
  if (!log.clean()) return log.sorted_problems();
  const CountsOfLayers layers = read_rows(table, log);
  if (log.clean()) check_layers(layers, names_layers(table), log);
  if (!log.clean()) return log.sorted_problems();
  return routing_of(layers, names_layers(table), file, table);
}

Result<MeasuredRouting> load_routing(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return text.error();
  return read_routing(text.value(), path);
}

}  // namespace bta
