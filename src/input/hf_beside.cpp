// MTP     a layer like the last of the model, a 2*d -> d projection and three norms, for each of N modules
//         (DeepSeek-V3, GLM-4.5); embedding and head are the model's
// vision  Llama 4: patches of p*p*c -> v without bias, a class and (s/p)^2 + 1 position vectors, N layers of
//         4*v*v and 2*v*f with biases and two LayerNorms, two LayerNorms around them, f -> a -> b and b -> d
//         without biases
#include <fmt/format.h>

#include "base/count.h"
#include "input/hf_file.h"
#include "input/model_shape.h"
#include "input/quoted.h"
#include "model/parameters.h"

namespace bta {
namespace {

// As far as products of the largest sizes fit 64 bits.
constexpr IntegerRange module_range{0, 8};
constexpr IntegerRange vision_range{1, std::int64_t{1} << 20};
constexpr std::int64_t largest_patch = 4096;

std::int64_t mtp_parameters(const Model& model, std::int64_t modules) {
  Model last;
  last.hidden = model.hidden;
  last.tied_embeddings = true;
  last.layers = {model.layers.back()};
  const std::int64_t d = model.hidden;
  const std::int64_t module = checked_add(count_parameters(last).total(), product(2 * d, d + 1));
  return product(modules, module);
}

void read_mtp(const HfFile& file, Model& model) {
  if (file.family.mtp == HfMtp::refused) return;
  const std::string_view key = file.spelling(hf_keys::mtp);
  const auto modules = file.reader.integer(key, module_range, Need::optional).value_or(0);
  if (modules == 0 || !file.is_on({"use_mtp", true, HfTold::never})) return;
  if (file.family.mtp == HfMtp::counted && file.reader.log().clean()) {
    const std::int64_t parameters = mtp_parameters(model, modules);
    if (parameters > part_range.max)
      file.reader.problem(key, fmt::format("'{}' is {}: its {} parameters are more than {}", key, modules,
                                           parameters, part_range.max));
    model.beside.push_back({"MTP", parameters});
    file.notes.push_back(fmt::format("{} {}: MTP is counted apart, and in no time or memory", key, modules));
  } else {
    file.notes.push_back(fmt::format("{} {}: MTP is left out of every number", key, modules));
  }
}

/// Absent when the file does not hold every size.
std::optional<std::int64_t> llama4_vision(const Node& config, std::int64_t hidden, ReadLog& log) {
  Reader reader(config, "vision_config", {}, log);
  bool whole = true;
  const auto size = [&](std::string_view key) {
    const auto value = reader.integer(key, vision_range, Need::optional);
    whole = whole && value.has_value();
    return value.value_or(1);
  };
  const std::int64_t v = size("hidden_size"), f = size("intermediate_size"), p = size("patch_size");
  const std::int64_t c = size("num_channels"), layers = size("num_hidden_layers"), s = size("image_size");
  const std::int64_t a = size("projector_input_dim"), b = size("projector_output_dim");
  const std::int64_t out = size("vision_output_dim");
  if (!whole || layers > layer_range.max || p > s || p > largest_patch || c > largest_patch) return {};
  const std::int64_t embedding = product(p, p, c, v) + product(checked_add(product(s / p, s / p), 2), v);
  const std::int64_t layer = product(4 * v, v + 1) + product(2 * v, f) + f + v + 4 * v;
  const std::int64_t adapter = checked_add(product(f, a), checked_add(product(a, b), product(out, hidden)));
  return checked_add(checked_add(embedding, 4 * v), checked_add(product(layers, layer), adapter));
}

void read_vision(const HfFile& file, const Node& root, Model& model) {
  const Node* const config = find(root, "vision_config");
  if (config == nullptr || config->kind != Node::Kind::map) return;
  std::optional<std::int64_t> parameters;
  if (file.family.vision == HfVision::llama4)
    parameters = llama4_vision(*config, model.hidden, file.reader.log());
  if (parameters && *parameters > part_range.max)
    file.reader.log().problem(*config, "vision_config",
                              fmt::format("its {} parameters are more than {}", *parameters, part_range.max));
  if (parameters) model.beside.push_back({"vision", *parameters});
  file.notes.emplace_back(parameters ? "vision_config: vision is counted apart, and in no time or memory"
                                     : "vision_config: vision is left out of every number");
}

}  // namespace

void read_parts_beside(const HfFile& file, const Node& root, Model& model) {
  read_mtp(file, model);
  read_vision(file, root, model);
}

}  // namespace bta
