#include "input/import_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "input/builtin.h"
#include "input/model_writer.h"
#include "input/read_model.h"

namespace bta {
namespace {

std::string file_name(const SourceText& source) {
  return std::filesystem::path(source.file).filename().string();
}

/// What all numbers of the file itself have in common.
Provenance common_standing(std::vector<SourcedNumber> numbers) {
  std::erase_if(numbers, [](const SourcedNumber& number) { return number.source.starts_with("--set "); });
  const auto as_first = [&](const SourcedNumber& number) {
    return number.kind == numbers.front().kind && number.source == numbers.front().source;
  };
  if (numbers.empty() || !std::ranges::all_of(numbers, as_first)) return {};
  return {numbers.front().kind, numbers.front().source};
}

Provenance standing_of(const SourceText& source, const ModelFile& file) {
  if (source.json && file_name(source) == "config.json")
    return {"datasheet", "config.json of " + file.model.name};
  if (source.json) return {"datasheet", file_name(source)};
  Provenance standing = common_standing(file.numbers);
  if (standing.source.empty()) standing.source = file_name(source);
  return standing;
}

Provenance changed(Provenance standing, const std::vector<Override>& overrides) {
  std::string keys;
  for (const Override& change : overrides)
    if (change.key != "name") keys += fmt::format("{}model.{}", keys.empty() ? "" : ", ", change.key);
  if (keys.empty()) return standing;
  return {"assumed", fmt::format("{}, changed by --set {}", standing.source, keys)};
}

}  // namespace

Result<ImportedModel> import_model(const std::string& name_or_path, const std::vector<Override>& overrides) {
  const Result<SourceText> source = find_source(name_or_path, builtin_models(), "model");
  if (!source) return source.error();
  const Result<ModelFile> file = read_model(source.value(), overrides);
  if (!file) return file.error();
  const Model& model = file.value().model;
  const Provenance standing = changed(standing_of(source.value(), file.value()), overrides);
  const Result<std::string> yaml = write_model_yaml(model, standing);
  if (!yaml) return yaml.error();
  return ImportedModel{yaml.value(), model.notes};
}

}  // namespace bta
