#include "input/hf_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "input/hf_file.h"
#include "input/model_shape.h"
#include "input/quoted.h"

namespace bta {
namespace {

/// The declared name, else the last component of where the checkpoint came from.
std::string read_name(Reader& reader, const std::string& fallback_name) {
  if (const auto name = reader.text("name", Need::optional)) return *name;
  const Node* const checkpoint = reader.take("_name_or_path");
  if (checkpoint == nullptr || checkpoint->text.empty()) return fallback_name;
  std::string origin = reader.text("_name_or_path").value_or("");
  while (!origin.empty() && (origin.back() == '/' || origin.back() == '\\')) origin.pop_back();
  origin.erase(0, origin.find_last_of("/\\") + 1);
  return origin.empty() || origin == "." || origin == ".." ? fallback_name : origin;
}

std::vector<Layer> read_layers(const HfFile& file, std::optional<std::int64_t> hidden) {
  const std::int64_t count = file.reader.integer(file.spelling(hf_keys::layers), layer_range).value_or(1);
  const std::vector<Attention> attentions = read_attentions(file, hidden, count);
  const std::vector<FeedForward> mlps = read_feed_forwards(file, hidden, count);
  std::vector<Layer> layers;
  for (std::size_t i = 0; i < mlps.size(); ++i)
    layers.push_back({.attention = attentions[i],
                      .feed_forward = mlps[i],
                      .norm_bias = file.family.norm_bias,
                      .parallel = file.family.parallel,
                      .post_norms = file.family.post_norms});
  return layers;
}

/// An absent head size where the family's own code has a number for it, not hidden size / heads.
void supply_head_size(Node& keys, const HfFamily& family, std::vector<std::string>& notes) {
  const Spellings& names = hf_keys::head_size;
  const auto stands = [&](std::string_view name) { return find(keys, name) != nullptr; };
  if (family.absent_head_size == 0 || std::any_of(names.begin(), names.end(), stands)) return;
  Node size;
  size.kind = Node::Kind::scalar;
  size.text = std::to_string(family.absent_head_size);
  size.at = size.key_at = keys.at;
  size.key = names.front();
  keys.children.push_back(size);
  notes.push_back(fmt::format("{} is absent: {} takes {}", size.key, family.model_type, size.text));
}

/// What of a family is counted but not run as it is.
void note_approximations(const HfFile& file) {
  const HfFamily& family = file.family;
  if (family.learned_positions)
    file.notes.emplace_back("learned positions are counted, and looked up off the wafer");
  if (family.parallel)
    file.notes.emplace_back(
        "attention and MLP read the same norm, but are costed and run one after the other");
  if (family.post_norms)
    file.notes.emplace_back("norms after attention and after the MLP are counted, not run");
}

Model read_language_model(const HfFile& file, const Node& root) {
  Model model;
  const auto hidden = file.reader.integer(file.spelling(hf_keys::hidden), hidden_range);
  model.layers = read_layers(file, hidden);
  model.hidden = hidden.value_or(1);
  model.vocabulary = file.reader.integer("vocab_size", vocabulary_range).value_or(1);
  model.tied_embeddings = file.is_on(file.family.tied_embeddings);
  model.norm_bias = file.family.norm_bias;
  model.head_bias = file.is_on(file.family.head_bias);
  if (file.family.learned_positions)
    model.positions = file.reader.integer(file.spelling(hf_keys::positions), vocabulary_range).value_or(1);
  read_parts_beside(file, root, model);
  refuse_unknown_mechanisms(file, model.layers.size());
  note_approximations(file);
  return model;
}

/// An override of a key that nothing read would be silently without effect.
void refuse_idle_overrides(Reader& reader) {
  for (const Node* node : reader.unread()) {
    if (node->origin.empty() || is_identity(node->key)) continue;
    const std::string nearest = nearest_name(node->key, reader.asked());
    reader.log().problem(
        *node, node->key,
        fmt::format("{} is not a key that is read from a config.json{}", in_quotes(node->key),
                    nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
  }
}

}  // namespace

std::string_view HfFile::spelling(const Spellings& spellings) const {
  const std::string_view used = spelling_in_use(reader, spellings);
  const auto stands =
      std::find_if(spellings.begin(), spellings.end(), [&](std::string_view key) { return !absent(key); });
  return absent(used) && stands != spellings.end() ? *stands : used;
}

void HfFile::note(const std::string& text) const {
  if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(text);
}

bool HfFile::is_on(const HfSwitch& rule) const {
  if (rule.key.empty()) return rule.value;
  const bool on = reader.boolean(rule.key, Need::optional).value_or(false);
  if (!absent(rule.key)) return on;
  if (rule.told == HfTold::always || (rule.told == HfTold::when_on && rule.value))
    note(fmt::format("{} is absent: {} takes {}", rule.key, family.model_type, rule.value));
  return rule.value;
}

std::int64_t HfFile::integer_or(std::string_view key, IntegerRange range, std::int64_t otherwise) const {
  const auto value = reader.integer(key, range, Need::optional);
  if (value || reader.has(key)) return value.value_or(otherwise);
  note(fmt::format("{} is {}: {} takes {}", key, absent(key) ? "absent" : "null", family.model_type,
                   otherwise));
  return otherwise;
}

Model read_hf_config(const Node& root, const std::string& fallback_name, ReadLog& log) {
  const Node* const text_config = find(root, "text_config");
  const Node* const nested =
      text_config != nullptr && text_config->kind == Node::Kind::map ? text_config : nullptr;
  std::vector<std::string> notes;
  if (nested != nullptr)
    notes.emplace_back(
        "read from the nested text_config; the file around it completes it with keys that it lacks");
  const HfFamily* const family = identify_family(root, nested, notes, log);
  if (family == nullptr) return {};
  Node keys = language_model_keys(root, nested);
  collapse_lists(keys, log);
  supply_head_size(keys, *family, notes);
  Reader reader(keys, "", {}, log);
  const std::string name = read_name(reader, fallback_name);
  Model model =
      read_language_model({keys, *family, reader, notes, nested != nullptr ? &root : nullptr}, root);
  model.name = name;
  model.notes = std::move(notes);
  refuse_contradictions(root, nested, reader, log);
  refuse_idle_overrides(reader);
  return model;
}

}  // namespace bta
