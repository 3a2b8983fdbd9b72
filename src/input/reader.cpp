#include "input/reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/characters.h"
#include "input/quoted.h"

namespace bta {
namespace {

const std::vector<std::string>& number_kinds() {
  static const std::vector<std::string> kinds{"datasheet", "measured", "derived", "assumed", "calibrated"};
  return kinds;
}

bool holds(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(name, names);
  return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
}

}  // namespace

Reader::Reader(const Node& map, std::string path, Provenance provenance, ReadLog& log)
    : map_(&map), path_(std::move(path)), provenance_(std::move(provenance)), log_(&log) {}

std::string Reader::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

bool Reader::has(std::string_view key) const {
  const Node* const node = find(*map_, key);
  return node != nullptr && node->kind != Node::Kind::null;
}

bool Reader::has_items(std::string_view key) const {
  return has(key) && !find(*map_, key)->children.empty();
}

const Node* Reader::take(std::string_view key) {
  if (!holds(asked_, key)) asked_.emplace_back(key);
  return has(key) ? find(*map_, key) : nullptr;
}

const Node* Reader::take_needed(std::string_view key, Need need) {
  const Node* const node = take(key);
  if (node != nullptr || need == Need::optional) return node;
  const Node* const empty = find(*map_, key);
  const std::string message =
      fmt::format("the required key '{}' is {}", key, empty != nullptr ? "empty" : "missing");
  log_->problem(empty != nullptr ? *empty : *map_, path_of(key), message);
  return nullptr;
}

const Node* Reader::take_scalar(std::string_view key, Need need, std::string_view wanted) {
  const Node* const node = take_needed(key, need);
  if (node == nullptr || node->kind == Node::Kind::scalar) return node;
  log_->problem(*node, path_of(key), fmt::format("{} stands where {} is needed", shown(*node), wanted));
  return nullptr;
}

void Reader::problem(std::string_view key, const std::string& message) {
  const Node* const node = find(*map_, key);
  log_->problem(node != nullptr ? *node : *map_, path_of(key), message);
}

template <class Value, class Parse>
std::optional<Value> Reader::number(std::string_view key, Need need, bool may_be_quoted, Parse parse) {
  const Node* const node = take_needed(key, need);
  if (node == nullptr) return {};
  if (node->kind == Node::Kind::map) {
    Reader sourced(*node, path_of(key), provenance_, *log_);
    sourced.adopt_provenance();
    const std::optional<Value> value = sourced.number<Value>("value", Need::required, may_be_quoted, parse);
    sourced.refuse_unknown_keys();
    return value;
  }
  const std::string path = key == "value" && !path_.empty() ? path_ : path_of(key);
  if (node->kind != Node::Kind::scalar) {
    log_->problem(*node, path, fmt::format("{} stands where a number is needed", shown(*node)));
    return {};
  }
  if (node->quoted && !may_be_quoted) {
    log_->problem(
        *node, path,
        fmt::format("{} is text in quotes; write the number without quotes", in_quotes(node->text)));
    return {};
  }
  const Parsed<Value> value = parse(node->text);
  if (!value) {
    log_->problem(*node, path, value.error());
    return {};
  }
  const bool overridden = !node->origin.empty();
  log_->number({path, node->text, overridden ? "unstated" : provenance_.kind,
                overridden ? node->origin : provenance_.source});
  return value.value();
}

std::optional<std::int64_t> Reader::integer(std::string_view key, IntegerRange range, Need need) {
  return number<std::int64_t>(key, need, false,
                              [range](std::string_view t) { return parse_integer(t, range); });
}

std::optional<std::int64_t> Reader::integer_or(std::string_view key, std::string_view word,
                                               IntegerRange range) {
  return number<std::int64_t>(key, Need::required, false, [=](std::string_view t) -> Parsed<std::int64_t> {
    if (t == word) return std::int64_t{0};
    Parsed<std::int64_t> value = parse_integer(t, range);
    if (value) return value;
    return fmt::format("{}, or '{}'", value.error(), word);
  });
}

std::optional<double> Reader::real(std::string_view key, RealRange range, Need need) {
  return number<double>(key, need, false, [range](std::string_view t) { return parse_real(t, range); });
}

std::optional<double> Reader::quantity(std::string_view key, Dimension dimension, RealRange range,
                                       Need need) {
  return number<double>(key, need, true,
                        [=](std::string_view t) { return parse_quantity(t, dimension, range); });
}

std::optional<Bytes> Reader::bytes(std::string_view key, IntegerRange range, Need need) {
  return number<Bytes>(key, need, true, [range](std::string_view t) { return parse_bytes(t, range); });
}

std::optional<bool> Reader::boolean(std::string_view key, Need need) {
  const Node* const node = take_scalar(key, need, "true or false");
  if (node == nullptr) return {};
  if (!node->quoted && (node->text == "true" || node->text == "false")) return node->text == "true";
  log_->problem(*node, path_of(key),
                fmt::format("{} is neither true nor false (without quotes)", in_quotes(node->text)));
  return {};
}

std::optional<std::string> Reader::line_of(const Node& node, std::string_view key) {
  constexpr std::size_t longest = 1000;
  const bool control = std::ranges::any_of(node.text, is_control);
  if (!node.text.empty() && node.text.size() <= longest && !control) return node.text;
  log_->problem(node, path_of(key),
                fmt::format("{} is not one line of 1 to {} bytes of text", in_quotes(node.text), longest));
  return {};
}

std::optional<std::string> Reader::text(std::string_view key, Need need) {
  const Node* const node = take_scalar(key, need, "text");
  return node == nullptr ? std::nullopt : line_of(*node, key);
}

std::vector<std::string> Reader::texts(std::string_view key) {
  const Node* const node = take(key);
  if (node == nullptr) return {};
  if (node->kind != Node::Kind::sequence) {
    log_->problem(*node, path_of(key), shown(*node) + " stands where a list of texts is needed");
    return {};
  }
  std::vector<std::string> values;
  for (const Node& item : node->children) {
    if (item.kind != Node::Kind::scalar) {
      log_->problem(item, path_of(key), shown(item) + " stands where a text is needed");
    } else if (auto line = line_of(item, key)) {
      values.push_back(*std::move(line));
    }
  }
  return values;
}

std::optional<std::size_t> Reader::choice(std::string_view key, const std::vector<std::string>& names,
                                          Need need) {
  const Node* const node = take_scalar(key, need, "one of " + joined(names));
  if (node == nullptr) return {};
  const auto found = std::find(names.begin(), names.end(), node->text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  log_->problem(*node, path_of(key),
                fmt::format("{} is not one of {}{}", in_quotes(node->text), joined(names),
                            did_you_mean(node->text, names)));
  return {};
}

std::vector<std::int64_t> Reader::integers(std::string_view key, IntegerRange range) {
  const Node* const node = take(key);
  if (node == nullptr) return {};
  if (node->kind != Node::Kind::sequence) {
    log_->problem(*node, path_of(key),
                  fmt::format("{} stands where a list of whole numbers is needed", shown(*node)));
    return {};
  }
  std::vector<std::int64_t> values;
  for (const Node& item : node->children) {
    const bool bare = item.kind == Node::Kind::scalar && !item.quoted;
    const Parsed<std::int64_t> value =
        bare ? parse_integer(item.text, range)
             : Parsed<std::int64_t>(shown(item) + " stands where a whole number is needed");
    if (!value) {
      log_->problem(item, path_of(key), value.error());
    } else if (std::find(values.begin(), values.end(), value.value()) != values.end()) {
      log_->problem(item, path_of(key), in_quotes(item.text) + " stands twice in the list");
    } else {
      values.push_back(value.value());
    }
  }
  return values;
}

void Reader::adopt_provenance() {
  const std::optional<std::size_t> kind = choice("kind", number_kinds(), Need::optional);
  const std::optional<std::string> source = text("source", Need::optional);
  if (kind) provenance_ = {number_kinds()[*kind], ""};  // a kind of its own starts without the outer source
  if (source) provenance_.source = *source;
}

std::vector<const Node*> Reader::unread() const {
  std::vector<const Node*> nodes;
  for (const Node& child : map_->children) {
    if (!holds(asked_, child.key)) nodes.push_back(&child);
  }
  return nodes;
}

void Reader::refuse_unknown_keys() {
  for (const Node* node : unread()) {
    const std::string guess = did_you_mean(node->key, asked_);
    const std::string known = guess.empty() ? "; known here: " + joined(asked_) : guess;
    log_->key_problem(*node, path_of(on_one_line(node->key)),
                      fmt::format("unknown key {}{}", in_quotes(node->key), known));
  }
}

}  // namespace bta
