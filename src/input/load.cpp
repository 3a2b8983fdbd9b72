#include "input/load.h"

#include <algorithm>

#include "input/builtin.h"
#include "input/hardware_yaml.h"
#include "input/hf_config.h"
#include "input/model_hash.h"
#include "input/model_yaml.h"
#include "input/read_model.h"

namespace bta {
namespace {

/// One spelling of what can be said in several ways, whatever the format.
void normalise(Model& model) {
  for (Layer& layer : model.layers) {
    auto* const attention = std::get_if<GroupedQueryAttention>(&layer.attention);
    if (attention != nullptr && attention->rotated() == attention->qk_head_dim) attention->rotary_dim.reset();
    auto* const moe = std::get_if<MoeMlp>(&layer.feed_forward);
    if (moe != nullptr && moe->shared_width == 0) moe->shared_gate = false;
  }
  std::erase_if(model.beside, [](const ModelPart& part) { return part.parameters == 0; });
  std::ranges::sort(model.beside, {}, &ModelPart::name);
}

}  // namespace

Result<ModelFile> read_model(const SourceText& source, const std::vector<Override>& overrides) {
  const Result<Document> document = effective_document(source, overrides, "model");
  if (!document) return document.error();
  const Node& root = document.value().root;
  ReadLog log(source.file, document.value().problems);
  Model model = source.json ? read_hf_config(root, source.fallback_name, log)
                            : read_model_yaml(root, source.fallback_name, log);
  if (!log.clean()) return log.sorted_problems();
  normalise(model);
  model.content_hash = content_hash(model);
  return ModelFile{std::move(model), log.numbers()};
}

Result<Wafer> read_wafer(const SourceText& source, const std::vector<Override>& overrides) {
  if (source.json) return Diagnostics{{source.file, 0, 0, "", "hardware is described in YAML, not in JSON"}};
  const Result<Document> document = effective_document(source, overrides, "hardware");
  if (!document) return document.error();
  ReadLog log(source.file, document.value().problems);
  Wafer wafer = read_wafer_yaml(document.value().root, log);
  if (!log.clean()) return log.sorted_problems();
  wafer.numbers = log.numbers();
  std::erase_if(wafer.numbers, [](const SourcedNumber& n) { return n.key.starts_with("calibration."); });
  wafer.content_hash = content_hash(document.value().root);
  return wafer;
}

Result<ModelFile> load_model_file(const std::string& name_or_path, const std::vector<Override>& overrides) {
  const Result<SourceText> source = find_source(name_or_path, builtin_models(), "model");
  if (!source) return source.error();
  return read_model(source.value(), overrides);
}

Result<Model> load_model(const std::string& name_or_path, const std::vector<Override>& overrides) {
  Result<ModelFile> file = load_model_file(name_or_path, overrides);
  if (!file) return file.error();
  return std::move(file).value().model;
}

Result<Wafer> load_wafer(const std::string& name_or_path, const std::vector<Override>& overrides) {
  const Result<SourceText> source = find_source(name_or_path, builtin_hardware(), "hardware");
  if (!source) return source.error();
  return read_wafer(source.value(), overrides);
}

}  // namespace bta
