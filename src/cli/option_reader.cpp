#include "cli/option_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "input/quoted.h"

namespace bta::cli {

std::optional<std::string> OptionReader::text(const std::string& option) const {
  const auto found = arguments_->options.find(option);
  if (found == arguments_->options.end() || found->second.empty()) return std::nullopt;
  return found->second.front();
}

std::vector<std::string> OptionReader::texts(const std::string& option) const {
  const auto found = arguments_->options.find(option);
  return found == arguments_->options.end() ? std::vector<std::string>() : found->second;
}

std::optional<std::int64_t> OptionReader::integer(const std::string& option, IntegerRange range) {
  const std::optional<std::string> given = text(option);
  if (!given) return std::nullopt;
  const Parsed<std::int64_t> value = parse_integer(*given, range);
  if (value) return value.value();
  error(option, value.error());
  return std::nullopt;
}

std::optional<double> OptionReader::real(const std::string& option, RealRange range) {
  const std::optional<std::string> given = text(option);
  if (!given) return std::nullopt;
  const Parsed<double> value = parse_real(*given, range);
  if (value) return value.value();
  error(option, value.error());
  return std::nullopt;
}

std::vector<std::int64_t> OptionReader::integers(const std::string& option, IntegerRange range) {
  const std::optional<std::string> given = text(option);
  if (!given) return {};
  const Parsed<std::vector<std::int64_t>> values = parse_integer_list(*given, range);
  if (values) return values.value();
  error(option, values.error());
  return {};
}

void OptionReader::error(const std::string& option, std::string message) {
  errors_.push_back(option_error(option, std::move(message)));
}

void OptionReader::errors(const Diagnostics& more) {
  errors_.insert(errors_.end(), more.begin(), more.end());
}

std::optional<std::size_t> OptionReader::choice(const std::string& option,
                                                std::span<const std::string_view> names) {
  const std::optional<std::string> given = text(option);
  if (!given) return std::nullopt;
  const auto found = std::ranges::find(names, *given);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::vector<std::string> allowed(names.begin(), names.end());
  const std::string nearest = nearest_name(*given, allowed);
  error(option, fmt::format("{} is none of {}{}", in_quotes(*given), joined(allowed),
                            nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest)));
  return std::nullopt;
}

}  // namespace bta::cli
