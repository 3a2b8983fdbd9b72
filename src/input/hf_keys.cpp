#include "input/hf_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "input/model_shape.h"
#include "input/quoted.h"

namespace bta {
namespace {

/// Maps that hold keys of the language model, beside or below those of the root.
constexpr std::array sections{"attn_config", "ffn_config"};

bool same_value(const Node& x, const Node& y) {
  if (x.kind == Node::Kind::sequence && y.kind == Node::Kind::sequence)
    return std::equal(x.children.begin(), x.children.end(), y.children.begin(), y.children.end(), same_value);
  if (x.kind != Node::Kind::scalar || y.kind != Node::Kind::scalar) return false;
  const Parsed<std::int64_t> a = parse_integer(x.text, {INT64_MIN, INT64_MAX});
  const Parsed<std::int64_t> b = parse_integer(y.text, {INT64_MIN, INT64_MAX});
  return a && b ? a.value() == b.value() : x.text == y.text;
}

void report_conflict(ReadLog& log, const Node& first, const Node& second) {
  log.problem(
      second, second.key,
      fmt::format("'{}' is {} but '{}' is {}; they mean the same, so they must be equal or one must go",
                  second.key, written(second), first.key, written(first)));
}

const Node* map_named(const Node& parent, std::string_view key) {
  const Node* const node = find(parent, key);
  return node != nullptr && node->kind == Node::Kind::map ? node : nullptr;
}

/// Keys that may differ from part to part.
bool is_of_one_part(std::string_view key) {
  return is_identity(key) || key == "_name_or_path" || key == "name";
}

/// What a section repeats of a file's own head, and says nothing about the model with.
bool is_of_the_whole_file(std::string_view key) {
  return is_of_one_part(key) || key == "tie_word_embeddings" || key == "torch_dtype";
}

/// The first non-null of two values stands.
void complete(Node& merged, const Node& child) {
  const auto known = std::find_if(merged.children.begin(), merged.children.end(),
                                  [&](const Node& have) { return have.key == child.key; });
  if (known == merged.children.end()) {
    merged.children.push_back(child);
  } else if (known->kind == Node::Kind::null) {
    *known = child;
  }
}

/// {"name": "silu"} is "silu".
Node plain(const Node& child) {
  const Node* const name = child.children.size() == 1 ? find(child, "name") : nullptr;
  if (name == nullptr || name->kind != Node::Kind::scalar) return child;
  Node node = *name;
  node.key = child.key;
  node.key_at = child.key_at;
  return node;
}

void complete_from_section(Node& merged, const Node& section) {
  for (const Node& child : section.children)
    if (!is_of_the_whole_file(child.key)) complete(merged, plain(child));
}

void compare(const Node& outer, const Node& inner, std::string_view where, std::string_view key,
             ReadLog& log) {
  const Node* const x = find(outer, key);
  const Node* const y = find(inner, key);
  const auto says = [](const Node* node) {
    return node != nullptr && (node->kind == Node::Kind::scalar || node->kind == Node::Kind::sequence);
  };
  if (!says(x) || !says(y)) return;
  if (!same_value(*x, *y))
    log.problem(*x, key,
                fmt::format("'{}' is {} here but {} in {}; they must be equal or one must go", key,
                            written(*x), written(*y), where));
}

/// Keys that some families write as a list, one entry a layer.
Spellings per_layer_keys() {
  Spellings keys{"intermediate_size", "ffn_dim"};
  for (const Spellings* more :
       {&hf_keys::heads, &hf_keys::kv_heads, &hf_keys::head_size, &hf_keys::experts, &hf_keys::top_k,
        &hf_keys::expert_width, &hf_keys::dense_width, &hf_keys::shared_experts, &hf_keys::shared_width})
    keys.insert(keys.end(), more->begin(), more->end());
  return keys;
}

std::size_t layers_of(const Node& keys) {
  for (const std::string_view key : hf_keys::layers) {
    const Node* const node = find(keys, key);
    const Parsed<std::int64_t> layers = parse_integer(node != nullptr ? node->text : "", layer_range);
    if (layers) return static_cast<std::size_t>(layers.value());
  }
  return 0;
}

void collapse_list(Node& list, std::size_t layers, ReadLog& log) {
  const Node first = list.children.front();
  const auto other = std::find_if_not(list.children.begin(), list.children.end(),
                                      [&](const Node& item) { return same_value(first, item); });
  if (other != list.children.end()) {
    log.problem(
        *other, list.key,
        fmt::format("entry {} of the list is {} but entry 0 is {}: layers that differ in '{}' are not "
                    "modelled",
                    other - list.children.begin(), written(*other), written(first), list.key));
  } else if (layers > 0 && list.children.size() != layers) {
    log.problem(list, list.key,
                fmt::format("the list has {} entries for {} layers; one for each is needed",
                            list.children.size(), layers));
  }
  Node number = first;
  number.key = list.key;
  number.key_at = list.key_at;
  number.origin = list.origin;
  list = number;
}

}  // namespace

std::string_view spelling_in_use(Reader& reader, const Spellings& spellings) {
  const Node* first = nullptr;
  for (const std::string_view spelling : spellings) {
    const Node* const node = reader.take(spelling);
    if (first == nullptr) {
      first = node;
    } else if (node != nullptr && node != first && !same_value(*first, *node)) {
      report_conflict(reader.log(), *first, *node);
    }
  }
  const auto used =
      std::find_if(spellings.begin(), spellings.end(), [&](auto key) { return reader.has(key); });
  return used != spellings.end() ? *used : spellings.front();
}

Node language_model_keys(const Node& root, const Node* nested) {
  Node merged = nested != nullptr ? *nested : root;
  if (nested != nullptr) {
    for (const Node& child : root.children)
      if (child.kind != Node::Kind::map && !is_identity(child.key)) complete(merged, child);
  }
  for (const char* const name : sections) {
    const Node* const section = map_named(nested != nullptr ? *nested : root, name);
    if (section != nullptr) complete_from_section(merged, *section);
  }
  return merged;
}

void refuse_contradictions(const Node& root, const Node* nested, const Reader& reader, ReadLog& log) {
  for (const std::string& key : reader.asked()) {
    if (nested != nullptr && !is_of_one_part(key)) compare(root, *nested, "text_config", key, log);
    if (is_of_the_whole_file(key)) continue;
    const Node& model = nested != nullptr ? *nested : root;
    for (const char* const name : sections)
      if (const Node* const section = map_named(model, name)) compare(model, *section, name, key, log);
  }
}

void collapse_lists(Node& keys, ReadLog& log) {
  const Spellings listed = per_layer_keys();
  const std::size_t layers = layers_of(keys);
  for (Node& child : keys.children) {
    const bool known = std::find(listed.begin(), listed.end(), child.key) != listed.end();
    if (known && child.kind == Node::Kind::sequence && !child.children.empty())
      collapse_list(child, layers, log);
  }
}

std::string written(const Node& node) {
  if (node.kind != Node::Kind::scalar) return shown(node);
  return node.quoted || !node.origin.empty() ? in_quotes(node.text) : on_one_line(node.text);
}

bool is_identity(std::string_view key) {
  return key == "architectures" || key == "model_type";
}

}  // namespace bta
