#include "cli/overrides.h"

#include <fmt/format.h>

#include "input/quoted.h"

namespace bta::cli {

Overrides read_overrides(OptionReader& reader) {
  Overrides overrides;
  for (const std::string& text : reader.texts("--set")) {
    const std::size_t dot = text.find('.'), equals = text.find('=');
    const std::string whose = text.substr(0, dot);
    const bool well_formed = equals != std::string::npos && dot != std::string::npos && dot + 1 < equals;
    if (!well_formed || (whose != "model" && whose != "hardware")) {
      reader.error("--set", fmt::format("{} is not of the form model.KEY=VALUE or hardware.KEY=VALUE",
                                        in_quotes(text)));
      continue;
    }
    std::vector<Override>& target = whose == "model" ? overrides.model : overrides.hardware;
    target.push_back({text.substr(dot + 1, equals - dot - 1), text.substr(equals + 1)});
  }
  return overrides;
}

}  // namespace bta::cli
