#include "input/model_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "input/model_hash.h"
#include "input/model_keys.h"
#include "input/quoted.h"
#include "input/read_model.h"
#include "model/parameters.h"

namespace bta {
namespace {

using LayerIndices = std::vector<std::size_t>;  // indices

/// The keys of all layers, or what they cannot say.
struct LayerKeys {
  ModelKeys keys;
  std::string problem;

  void add(const ModelKeys& more) { keys.insert(keys.end(), more.begin(), more.end()); }
  void add_list(std::string_view key, const LayerIndices& layers) {
    keys.emplace_back(key, fmt::format("[{}]", fmt::join(layers, ", ")));
  }
  void must_equal(std::size_t layer, const ModelKeys& one, std::size_t other_layer, const ModelKeys& other) {
    const std::string_view key = first_difference(one, other);
    if (!key.empty() && problem.empty())
      problem = fmt::format("layers {} and {} differ in {}, which can be said only of all layers alike",
                            layer, other_layer, key);
  }
};

Attention without_position(const Attention& attention) {
  const auto* known = std::get_if<GroupedQueryAttention>(&attention);
  if (known == nullptr) return attention;
  GroupedQueryAttention bare = *known;
  bare.rotary_dim = 0;
  bare.qk_norm = QkNorm::none;
  return bare;
}

bool has_position(const Layer& layer) {
  return keys_of(layer.attention) != keys_of(without_position(layer.attention));
}

void add_attention(LayerKeys& keys, const std::vector<Layer>& layers, LayerIndices& nope) {
  const auto found = std::ranges::find_if(layers, has_position);
  const auto usual = static_cast<std::size_t>(found == layers.end() ? 0 : found - layers.begin());
  const ModelKeys expected = keys_of(layers[usual].attention);
  const ModelKeys bare = keys_of(without_position(layers[usual].attention));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const ModelKeys found_keys = keys_of(layers[i].attention);
    if (found_keys == bare && bare != expected)
      nope.push_back(i);
    else
      keys.must_equal(usual, expected, i, found_keys);
  }
  keys.add(expected);
}

void add_windows(LayerKeys& keys, const std::vector<Layer>& layers, bool chunked) {
  const std::string_view size_key = chunked ? "attention_chunk_size" : "sliding_window";
  ModelKeys expected;
  LayerIndices holding;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto* attention = std::get_if<GroupedQueryAttention>(&layers[i].attention);
    if (attention == nullptr || !attention->window || attention->window->chunked != chunked) continue;
    const ModelKeys size = {{size_key, fmt::format("{}", attention->window->keys)}};
    if (holding.empty()) expected = size;
    holding.push_back(i);
    keys.must_equal(holding.front(), expected, i, size);
  }
  keys.add(expected);
  if (!holding.empty() && holding.size() < layers.size())
    keys.add_list(chunked ? "chunked_layers" : "sliding_window_layers", holding);
}

/// Those of one kind of MLP; the layers that have it.
template <class Mlp>
LayerIndices add_mlps(LayerKeys& keys, const std::vector<Layer>& layers) {
  LayerIndices holding;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (!std::holds_alternative<Mlp>(layers[i].feed_forward)) continue;
    holding.push_back(i);
    keys.must_equal(holding.front(), keys_of(layers[holding.front()].feed_forward), i,
                    keys_of(layers[i].feed_forward));
  }
  if (!holding.empty()) keys.add(keys_of(layers[holding.front()].feed_forward));
  return holding;
}

void add_feed_forward(LayerKeys& keys, const std::vector<Layer>& layers) {
  const LayerIndices moe = add_mlps<MoeMlp>(keys, layers);
  const LayerIndices dense = add_mlps<DenseMlp>(keys, layers);
  if (!moe.empty() && !dense.empty()) keys.add_list("dense_layers", dense);
  const auto gated = [&](std::size_t i) -> ModelKeys {
    if (is_gated(layers[i].feed_forward)) return {};
    return {{"gated", "false"}};
  };
  for (std::size_t i = 0; i < layers.size(); ++i) keys.must_equal(0, gated(0), i, gated(i));
  keys.add(gated(0));
}

LayerKeys layer_keys(const std::vector<Layer>& layers) {
  LayerKeys keys;
  LayerIndices nope;
  add_attention(keys, layers, nope);
  add_windows(keys, layers, false);
  add_windows(keys, layers, true);
  if (!nope.empty()) keys.add_list("nope_layers", nope);
  add_feed_forward(keys, layers);
  for (std::size_t i = 0; i < layers.size(); ++i)
    keys.must_equal(0, norm_keys_of(layers[0]), i, norm_keys_of(layers[i]));
  keys.add(norm_keys_of(layers[0]));
  return keys;
}

std::string why_not(const Model& model) {
  if (model.layers.empty()) return "it has no layers";
  if (model.norm_bias != model.layers.front().norm_bias)
    return "the norms of its layers and its last norm differ in norm_bias, which can be said only of all "
           "alike";
  for (const ModelPart& part : model.beside)
    if (part.name != "MTP" && part.name != "vision")
      return fmt::format("it has a part beside the language model called '{}'; only MTP and vision have keys",
                         part.name);
  return "";
}

/// Bare when YAML cannot take it for anything else.
std::string text_of(const std::string& text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '/' || c == ' ';
  };
  const bool word =
      text.size() > 5 && text.back() != ' ' && text.front() >= 'A';  // longer than null and false
  if (word && std::ranges::all_of(text, plain)) return text;
  YAML::Emitter out;
  out << YAML::DoubleQuoted << text;
  return out.c_str();
}

std::string comment(const Model& model) {
  const ParameterCount count = count_parameters(model);
  std::string text = fmt::format("# {} parameters", fmt::group_digits(count.total()));
  if (moe_of(model) != nullptr)
    text += fmt::format(", of which a token uses {}", fmt::group_digits(count.active()));
  return text + "\n";
}

std::string lines_of(const ModelKeys& keys) {
  std::string lines;
  for (const auto& [key, value] : keys) lines += fmt::format("{}: {}\n", key, value);
  return lines;
}

std::string composed(const Model& model, const Provenance& standing, const ModelKeys& layers) {
  ModelKeys head = {{"name", text_of(model.name)}};
  if (standing.kind != "unstated") head.emplace_back("kind", standing.kind);
  if (!standing.source.empty()) head.emplace_back("source", text_of(standing.source));
  head.emplace_back("hidden_size", fmt::format("{}", model.hidden));
  head.emplace_back("num_layers", fmt::format("{}", model.layers.size()));
  std::string text = comment(model) + lines_of(head) + lines_of(layers) + lines_of(head_keys_of(model));
  if (!model.notes.empty()) text += "notes:\n";
  for (const std::string& note : model.notes) text += "  - " + text_of(note) + "\n";
  return text;
}

/// A last look: a name or a note that is no line of text, a number out of every range.
Diagnostics differences(const Model& model, const std::string& text) {
  const std::string file = "the YAML of " + on_one_line(model.name);
  const Result<ModelFile> read = read_model({file, text, false, "unnamed"}, {});
  if (!read) return read.error();
  const Model& same = read.value().model;
  if (same.name != model.name || same.notes != model.notes)
    return {
        {file, 0, 0, "", "the name or a note is no valid text; --set model.name=NAME gives another name"}};
  if (same.content_hash != content_hash(model)) return {{file, 0, 0, "", "reads as another model"}};
  return {};
}

}  // namespace

Result<std::string> write_model_yaml(const Model& model, const Provenance& standing) {
  std::string problem = why_not(model);
  const LayerKeys layers = problem.empty() ? layer_keys(model.layers) : LayerKeys{};
  if (problem.empty()) problem = layers.problem;
  if (!problem.empty())
    return Diagnostics{
        {on_one_line(model.name), 0, 0, "", "cannot be written as this project's YAML: " + problem}};
  std::string text = composed(model, standing, layers.keys);
  const Diagnostics problems = differences(model, text);
  if (!problems.empty()) return problems;
  return text;
}

}  // namespace bta
