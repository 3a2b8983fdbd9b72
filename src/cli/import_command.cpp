#include <fmt/format.h>

#include <filesystem>

#include "cli/commands.h"
#include "cli/named.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/overrides.h"
#include "input/builtin.h"
#include "input/import_model.h"
#include "input/quoted.h"
#include "input/source_text.h"

namespace bta::cli {
namespace {

std::optional<ImportedModel> imported(OptionReader& reader, const std::string& name,
                                      const Overrides& overrides) {
  if (!is_there(name)) {
    reader.error("", nothing_named(name, builtin_models()));
    return std::nullopt;
  }
  Result<ImportedModel> model = import_model(name, overrides.model);
  if (model) return std::move(model).value();
  if (looks_like_hardware(name, model.error()))
    reader.error("", in_quotes(name) + " is hardware, whose files need no import; import takes a model");
  else
    reader.errors(model.error());
  return std::nullopt;
}

}  // namespace

ExitCode run_import(const Arguments& arguments) {
  OptionReader reader(arguments);
  const std::string path = reader.text("--output").value_or("-");
  const std::string name = read_name(reader, "import", arguments.words,
                                     "a config.json, a YAML file, or the name of a model; "
                                     "'bta-plan list models' names those built in");
  const Overrides overrides = read_overrides(reader);
  if (!overrides.hardware.empty())
    reader.error("--set", "hardware." + overrides.hardware.front().key + " does not apply to a model");
  std::error_code ignored;
  if (path != "-" && std::filesystem::exists(name, ignored) && same_file(path, name))
    reader.error("--output", in_quotes(path) + " holds the model to import; give another file");
  if (!reader.found().empty()) return refuse(reader.found());
  const std::optional<ImportedModel> model = imported(reader, name, overrides);
  if (!model) return refuse(reader.found());
  Result<Output> output = Output::open(path);
  if (!output) return refuse(output.error());
  if (!reader.has("--quiet"))
    for (const std::string& note : model->notes) say_note(note);
  return output.value().write(model->yaml) ? ExitCode::done : ExitCode::failed;
}

}  // namespace bta::cli
