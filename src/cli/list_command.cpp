#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "input/builtin.h"
#include "input/load.h"
#include "input/quoted.h"
#include "report/inventory_report.h"

namespace bta::cli {
namespace {

Diagnostics add_models(Inventory& inventory) {
  for (const Builtin& builtin : builtin_models()) {
    Result<Model> model = load_model(std::string(builtin.name), {});
    if (!model) return model.error();
    inventory.models.push_back({std::string(builtin.name), std::move(model).value()});
  }
  return {};
}

Diagnostics add_hardware(Inventory& inventory) {
  for (const Builtin& builtin : builtin_hardware()) {
    Result<Wafer> wafer = load_wafer(std::string(builtin.name), {});
    if (!wafer) return wafer.error();
    inventory.hardware.push_back({std::string(builtin.name), std::move(wafer).value()});
  }
  return {};
}

/// "models", "hardware", or empty for both.
std::string read_kind(OptionReader& reader, const std::vector<std::string>& words) {
  if (words.empty()) return "";
  const std::vector<std::string> kinds = {"models", "hardware"};
  const std::string nearest = nearest_name(words.front(), kinds);
  if (words.size() > 1) reader.error("", "list takes one word: models or hardware");
  if (words.front() != "models" && words.front() != "hardware")
    reader.error("", fmt::format("{} is neither models nor hardware{}", in_quotes(words.front()),
                                 nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest)));
  return words.front();
}

}  // namespace

ExitCode run_list(const Arguments& arguments) {
  OptionReader reader(arguments);
  const OutputOptions options = read_output(reader);
  const std::string kind = read_kind(reader, arguments.words);
  if (!reader.found().empty()) return refuse(reader.found());
  Result<Output> output = Output::open(options.path);
  if (!output) return refuse(output.error());

  Inventory inventory;
  Diagnostics errors;
  if (kind != "hardware") errors = add_models(inventory);
  if (kind != "models" && errors.empty()) errors = add_hardware(inventory);
  if (!errors.empty()) return refuse(errors);
  return output.value().write(write_inventory(inventory, options.format)) ? ExitCode::done : ExitCode::failed;
}

}  // namespace bta::cli
