#include "input/model_yaml.h"

#include <fmt/format.h>

#include "input/model_shape.h"
#include "input/model_yaml_parts.h"

namespace bta {
namespace {

std::vector<Layer> read_layers(Reader& reader, std::optional<std::int64_t> hidden,
                               std::vector<std::string>& notes) {
  const auto count = reader.integer("num_layers", layer_range);
  const std::vector<Attention> attentions = read_attentions(reader, hidden, count, notes);
  const std::vector<FeedForward> mlps = read_mlps(reader, count);
  Layer layer;
  layer.norm_bias = read_flag(reader, "norm_bias");
  layer.parallel = read_flag(reader, "parallel_block");
  layer.post_norms = read_flag(reader, "post_norms");
  std::vector<Layer> layers(attentions.size(), layer);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    layers[i].attention = attentions[i];
    layers[i].feed_forward = mlps[i];
  }
  return layers;
}

/// Counted apart, in the order in which a writer names them.
std::vector<ModelPart> read_beside(Reader& reader) {
  std::vector<ModelPart> beside;
  for (const auto& [key, name] : {std::pair("mtp_parameters", "MTP"), {"vision_parameters", "vision"}})
    if (const auto parameters = reader.integer(key, part_range, Need::optional))
      beside.push_back({name, *parameters});
  return beside;
}

}  // namespace

bool read_flag(Reader& reader, std::string_view key) {
  return reader.boolean(key, Need::optional).value_or(false);
}

void refuse_without_effect(Reader& reader, const std::vector<std::string_view>& keys, std::string_view why) {
  for (const std::string_view key : keys) {
    if (reader.take(key) != nullptr) reader.problem(key, fmt::format("'{}' has no effect: {}", key, why));
  }
}

std::vector<bool> read_layer_list(Reader& reader, std::string_view key, std::optional<std::int64_t> layers,
                                  bool absent) {
  const std::int64_t last = layers.value_or(layer_range.max) - 1;
  const std::vector<std::int64_t> listed = reader.integers(key, {0, last});
  const Node* const node = reader.take(key);
  if (node != nullptr && node->kind == Node::Kind::sequence && node->children.empty())
    reader.problem(
        key,
        fmt::format("'{}' lists no layer; name those it is about, from 0 to {}, or leave it out", key, last));
  std::vector<bool> holds(static_cast<std::size_t>(layers.value_or(1)), node == nullptr && absent);
  for (const std::int64_t layer : listed)
    if (layers) holds[static_cast<std::size_t>(layer)] = true;
  return holds;
}

Model read_model_yaml(const Node& root, const std::string& fallback_name, ReadLog& log) {
  Reader reader(root, "", {}, log);
  reader.adopt_provenance();
  Model model;
  model.name = reader.text("name", Need::optional).value_or(fallback_name);
  std::vector<std::string> derived;
  const auto hidden = reader.integer("hidden_size", hidden_range);
  model.hidden = hidden.value_or(1);
  model.layers = read_layers(reader, hidden, derived);
  model.norm_bias = model.layers.front().norm_bias;
  model.vocabulary = reader.integer("vocab_size", vocabulary_range).value_or(1);
  model.tied_embeddings = reader.boolean("tie_embeddings").value_or(false);
  model.positions = reader.integer("position_embeddings", vocabulary_range, Need::optional).value_or(0);
  model.head_bias = read_flag(reader, "lm_head_bias");
  model.beside = read_beside(reader);
  model.notes = reader.texts("notes");
  model.notes.insert(model.notes.end(), derived.begin(), derived.end());
  reader.refuse_unknown_keys();
  return model;
}

}  // namespace bta
