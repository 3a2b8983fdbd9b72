#include "report/model_parts.h"

#include <algorithm>
#include <array>

#include "base/count.h"
#include "model/parameters.h"

namespace bta {
namespace {

/// Those that a pass streams.
ParameterCount streamed_parameters(Model model) {
  for (Layer& layer : model.layers) layer.post_norms = false;
  ParameterCount count = count_parameters(model);
  count.positions = 0;
  if (!count.tied) count.embedding = 0;  // a tied table is the head's weight
  return count;
}

/// The name in words.
std::string label_of(const ModelBytes& part) {
  if (!part.resident) return part.name + ", in no total";
  if (part.name == "dense_mlp") return "dense MLP";
  std::string label = part.name;
  std::ranges::replace(label, '_', ' ');
  return label;
}

using Size = const ModelBytes&;
constexpr auto size_columns = std::to_array<Column<ModelBytes>>({
    {"part", "part", "", Look::text, [](Size p) { return cell(std::string_view(p.name)); }},
    {"parameters", "parameters", "", Look::count, [](Size p) { return cell(p.parameters); }},
    {"resident_weight_bytes", "resident", "bytes", Look::count, [](Size p) { return cell(p.resident); }},
    {"streamed_weight_bytes", "streamed by a pass", "bytes", Look::count,
     [](Size p) { return cell(p.streamed); }},
});

}  // namespace

std::vector<ModelBytes> model_bytes(const Model& model, std::int64_t weight_bytes) {
  const ParameterCount count = count_parameters(model), streamed = streamed_parameters(model);
  std::vector<ModelBytes> parts;
  const auto add = [&](std::string_view name, std::int64_t parameters, std::optional<std::int64_t> passed) {
    const auto bytes = [&](std::int64_t n) { return product(n, weight_bytes); };
    parts.push_back({std::string(name), parameters, bytes(parameters),
                     passed ? std::optional(bytes(*passed)) : std::nullopt});
  };
  using P = std::int64_t ParameterCount::*;
  for (const auto& [name, part] : {std::pair<std::string_view, P>("embedding", &ParameterCount::embedding),
                                   {"positions", &ParameterCount::positions},
                                   {"attention", &ParameterCount::attention},
                                   {"dense_mlp", &ParameterCount::dense_mlp},
                                   {"router", &ParameterCount::router},
                                   {"shared_experts", &ParameterCount::shared_experts},
                                   {"routed_experts", &ParameterCount::routed_experts},
                                   {"norms", &ParameterCount::norms},
                                   {"output_head", &ParameterCount::output_head}})
    add(name, count.*part, streamed.*part);
  add("total", count.total(), streamed.total());
  add("active", count.active(), {});
  add("active_without_input_embedding", count.active_without_input_embedding(), {});
  for (const ModelPart& part : count.beside) parts.push_back({part.name, part.parameters, {}, {}});
  return parts;
}

Grid model_bytes_grid(const std::vector<ModelBytes>& parts) {
  return machine_grid<ModelBytes>(size_columns, parts);
}

TextGrid model_bytes_table(const std::vector<ModelBytes>& parts) {
  std::vector<ModelBytes> shown = parts;
  std::erase_if(shown, [](Size part) { return part.parameters == 0; });
  for (ModelBytes& part : shown) part.name = label_of(part);
  return text_grid<ModelBytes>(size_columns, shown);
}

}  // namespace bta
