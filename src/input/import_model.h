// Any description of a model as this project's YAML: what `import` writes.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "input/load.h"

namespace bta {

struct ImportedModel {
  std::string yaml;
  std::vector<std::string> notes;  // of the reading; the YAML holds them too
};

/// The YAML's numbers keep the standing that all of them have in the file. Those of a config.json are
/// published; those of a file that was changed by overrides are assumed.
Result<ImportedModel> import_model(const std::string& name_or_path, const std::vector<Override>& overrides);

}  // namespace bta
