// Files become plain structs, strictly checked. This room is the only place that parses YAML, JSON
// or CSV. Everything semantic that is wrong in one file is reported together.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "hardware/wafer.h"
#include "model/model.h"

namespace bta {

/// `--set model.KEY=VALUE`: one field of a description replaced (or added) before it is checked.
/// KEY is the file's own dotted key path; VALUE follows the same rules as in the file.
struct Override {
  std::string key;
  std::string value;
};

/// `name_or_path`: a built-in's name, this project's YAML (.yaml/.yml), or a Hugging Face config.json.
Result<Model> load_model(const std::string& name_or_path, const std::vector<Override>& overrides);
Result<Wafer> load_wafer(const std::string& name_or_path, const std::vector<Override>& overrides);

}  // namespace bta
