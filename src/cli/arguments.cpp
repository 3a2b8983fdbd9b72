#include "cli/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>

#include "input/number.h"
#include "input/quoted.h"

namespace bta::cli {
namespace {

using Registered = std::vector<std::pair<const OptionRow*, const CLI::Option*>>;

Registered register_options(CLI::App& app, const std::vector<OptionRow>& known,
                            std::vector<std::vector<std::string>>& values) {
  Registered registered;
  values.resize(known.size());
  for (std::size_t i = 0; i < known.size(); ++i) {
    CLI::Option* option =
        known[i].value.empty() ? app.add_flag(known[i].flags) : app.add_option(known[i].flags, values[i]);
    if (!known[i].value.empty())
      option->expected(1, std::numeric_limits<int>::max())->allow_extra_args(false);
    registered.emplace_back(&known[i], option);
  }
  return registered;
}

bool is_option(const std::string& word) {
  return word.size() > 1 && word.front() == '-';
}

std::vector<std::string> flag_names(const std::vector<OptionRow>& known) {
  std::vector<std::string> names;
  for (const OptionRow& row : known) names.push_back(long_name(row));
  return names;
}

Diagnostic unknown_option(const std::string& word, const std::vector<OptionRow>& known) {
  const std::string name = word.substr(0, word.find('='));
  const std::string nearest = nearest_name(name, flag_names(known));
  std::string message = "is no option of this command";
  if (!nearest.empty()) message += fmt::format("; did you mean {}?", nearest);
  return option_error(name, nearest.empty() ? message + "; --help lists them" : message);
}

/// Options that stand in the rest are unknown; other words are the caller's business.
Diagnostics unknown_options(const std::vector<std::string>& rest, const std::vector<OptionRow>& known) {
  Diagnostics errors;
  for (const std::string& word : rest)
    if (is_option(word) && word != "--") errors.push_back(unknown_option(word, known));
  return errors;
}

void collect(Arguments& arguments, const Registered& registered) {
  for (const auto& [row, option] : registered) {
    if (option->count() == 0) continue;
    const std::string name = long_name(*row);
    const bool is_switch = row->value.empty();
    if (option->count() > 1 && !row->repeats && !is_switch)
      arguments.errors.push_back(
          option_error(name, fmt::format("stands {} times; it may stand once", option->count())));
    if (is_switch && option->results().front() != "true")  // CLI11 takes --quiet=no
      arguments.errors.push_back(option_error(name, "takes no value"));
    arguments.options[name] = is_switch ? std::vector<std::string>{""} : option->results();
  }
}

bool is_number_like(const std::string& word) {
  return !word.empty() && (word.front() == '.' || (word.front() >= '0' && word.front() <= '9'));
}

/// Options whose value may be left out, "[P]", and is: no number follows. One entry each time.
std::vector<std::string> options_without_value(const std::vector<OptionRow>& known,
                                               const std::vector<std::string>& words) {
  std::vector<std::string> bare;
  for (const OptionRow& row : known)
    for (std::size_t i = 0; row.value.starts_with('[') && i < words.size(); ++i)
      if (words[i] == long_name(row) && (i + 1 == words.size() || !is_number_like(words[i + 1])))
        bare.push_back(words[i]);
  return bare;
}

std::vector<std::string> without(const std::vector<std::string>& words,
                                 const std::vector<std::string>& bare) {
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool valued = i + 1 < words.size() && is_number_like(words[i + 1]);
    if (valued || std::ranges::count(bare, words[i]) == 0) rest.push_back(words[i]);
  }
  return rest;
}

void add_bare(Arguments& arguments, const std::string& option) {
  if (arguments.options.contains(option))
    arguments.errors.push_back(option_error(option, "stands 2 times; it may stand once"));
  arguments.options[option] = {""};
}

/// CLI11's "--seq-len: 1 required TEXT missing" in other words.
Diagnostic missing_value(const CLI::ArgumentMismatch& mismatch) {
  const std::string text = mismatch.what();
  return option_error(text.substr(0, text.find(':')), "needs a value after it");
}

}  // namespace

Diagnostic option_error(std::string option, std::string message) {
  return {.file = "command line",
          .line = 0,
          .column = 0,
          .key = std::move(option),
          .message = std::move(message)};
}

Result<Arguments> parse_arguments(const std::vector<OptionRow>& known,
                                  const std::vector<std::string>& words) {
  for (const std::string& word : words)  // CLI11 would take the next word for the missing value
    if (word.starts_with("--") && word.ends_with('='))
      return Diagnostics{option_error(word.substr(0, word.size() - 1), "needs a value after '='")};
  const std::vector<std::string> bare = options_without_value(known, words);
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<std::vector<std::string>> values;
  const Registered registered = register_options(app, known, values);
  try {
    std::vector<std::string> rest = without(words, bare);
    std::ranges::reverse(rest);
    app.parse(std::move(rest));
  } catch (const CLI::ArgumentMismatch& mismatch) {
    return Diagnostics{missing_value(mismatch)};
  } catch (const CLI::ParseError& error) {
    return Diagnostics{option_error("", error.what())};
  }
  Arguments arguments;
  const std::vector<std::string> rest = app.remaining();
  arguments.errors = unknown_options(rest, known);
  collect(arguments, registered);
  for (const std::string& option : bare) add_bare(arguments, option);
  std::ranges::copy_if(rest, std::back_inserter(arguments.words),
                       [](const auto& word) { return !is_option(word); });
  return arguments;
}

}  // namespace bta::cli
