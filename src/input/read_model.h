// Descriptions from text, and a model together with the standing of its numbers.
#pragma once

#include <vector>

#include "input/load.h"
#include "input/source_text.h"

namespace bta {

/// A model with the standing of every number in its description.
struct ModelFile {
  Model model;
  std::vector<SourcedNumber> numbers;
};

/// As load_model, with the numbers of the description, for `show`.
Result<ModelFile> load_model_file(const std::string& name_or_path, const std::vector<Override>& overrides);

Result<ModelFile> read_model(const SourceText& source, const std::vector<Override>& overrides);
Result<Wafer> read_wafer(const SourceText& source, const std::vector<Override>& overrides);

}  // namespace bta
