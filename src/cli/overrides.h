// `--set model.KEY=VALUE` and `--set hardware.KEY=VALUE`.
#pragma once

#include <vector>

#include "cli/option_reader.h"
#include "input/load.h"

namespace bta::cli {

struct Overrides {
  std::vector<Override> model, hardware;
};
Overrides read_overrides(OptionReader& reader);

}  // namespace bta::cli
