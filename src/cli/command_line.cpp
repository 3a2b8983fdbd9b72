#include "cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "base/version.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "input/number.h"
#include "input/quoted.h"
#include "model/parameters.h"

namespace bta::cli {
namespace {

using Words = std::vector<std::string>;

ExitCode print(const std::string& text) {
  Result<Output> output = Output::open("-");
  return output && output.value().write(text) ? ExitCode::done : ExitCode::failed;
}

ExitCode print_version() {
  return print(fmt::format("bta-plan {}\n", version));
}

const Command* find_command(std::string_view name) {
  const auto found = std::ranges::find(commands(), name, &Command::name);
  return found == commands().end() ? nullptr : &*found;
}

ExitCode refuse_command(const std::string& word) {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  const std::string nearest = nearest_name(word, names);
  return refuse({option_error("", fmt::format("{} is no command; {}", in_quotes(word),
                                              nearest.empty() ? "commands are " + joined(names)
                                                              : fmt::format("did you mean {}?", nearest)))});
}

ExitCode run_command(const Command& command, const Words& words) {
  const Result<Arguments> arguments = parse_arguments(options_of(command), words);
  if (!arguments) return refuse(arguments.error());
  if (arguments.value().has("--help")) return print(help_of(command));
  if (arguments.value().has("--version")) return print_version();
  if (!arguments.value().words.empty() && command.words.empty() && arguments.value().errors.empty())
    return refuse(
        {option_error("", fmt::format("unexpected {}; {} takes only options, and a command word comes first",
                                      in_quotes(arguments.value().words.front()), command.name))});
  return command.run(arguments.value());
}

ExitCode help_on(const Words& words) {
  if (words.size() < 2) return print(overall_help());
  const Command* command = find_command(words[1]);
  return command ? print(help_of(*command)) : refuse_command(words[1]);
}

/// A first word that is an option, or none at all, means `plan`.
ExitCode dispatch(const Words& words) {
  if (words.empty()) return run_command(commands().front(), {});
  const std::string& first = words.front();
  if (first == "--help" || first == "-h") return print(overall_help());
  if (first == "help") return help_on(words);
  if (first.starts_with('-')) return run_command(commands().front(), words);
  const Command* command = find_command(first);
  return command ? run_command(*command, Words(words.begin() + 1, words.end())) : refuse_command(first);
}

Diagnostic message_only(std::string message) {
  return {.file = "bta-plan", .line = 0, .column = 0, .key = {}, .message = std::move(message)};
}

}  // namespace

int run_command_line(const Words& words) {
  ExitCode code = ExitCode::unusable;
  try {
    code = dispatch(words);
  } catch (const ModelTooLarge& error) {
    say_errors({message_only(error.what())});
  } catch (const std::overflow_error&) {
    say_errors({message_only("the workload is too large to count exactly in 64 bits")});
  } catch (const std::bad_alloc&) {
    say_errors({message_only("out of memory")});
  } catch (const std::exception& error) {
    say_errors({message_only(fmt::format("internal error: {}", error.what()))});
  }
  return static_cast<int>(code);
}

}  // namespace bta::cli
