#include "cli/free_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/trim.hpp>

#include "base/split.h"
#include "cli/confidence.h"
#include "cli/defaults.h"
#include "input/number.h"
#include "input/quoted.h"

namespace bta::cli {
namespace {

std::vector<std::string> free_names() {
  std::vector<std::string> names;
  for (const WaferParameter& parameter : wafer_parameters())
    if (can_be_free(parameter)) names.emplace_back(short_name(parameter));
  return names;
}

/// Blanks around a name are the shell's or the eye's.
std::vector<std::string> parts(const std::string& list, char separator) {
  std::vector<std::string> result = split(list, separator);
  for (std::string& part : result) boost::algorithm::trim_if(part, [](char c) { return c == ' '; });
  return result;
}

/// The parameters of one item: "gemm" or "gemm=attention"; what is wrong is told.
std::vector<const WaferParameter*> read_item(OptionReader& reader, const std::string& option,
                                             const std::string& item) {
  std::vector<const WaferParameter*> parameters;
  for (const std::string& name : parts(item, '=')) {
    const WaferParameter* const found = find_parameter(name);
    if (found == nullptr || !can_be_free(*found)) {
      const std::string nearest = nearest_name(name, free_names());
      reader.error(option, fmt::format("{} is no parameter that can be fitted; {}", in_quotes(name),
                                       nearest.empty() ? "they are: " + joined(free_names())
                                                       : fmt::format("did you mean {}?", nearest)));
      return {};
    }
    parameters.push_back(found);
  }
  const bool one_scale = std::ranges::all_of(parameters, [&](const WaferParameter* parameter) {
    return parameter->scale == parameters.front()->scale &&
           decides_memory_only(*parameter) == decides_memory_only(*parameters.front());
  });
  if (one_scale) return parameters;
  reader.error(option, fmt::format("{} are of different kinds and cannot share one value", in_quotes(item)));
  return {};
}

void read_freedom(OptionReader& reader, const std::string& option, const std::string& list, bool separate,
                  CalibrationRequest& request) {
  for (const std::string& item : parts(list, ',')) {
    const std::vector<const WaferParameter*> parameters = read_item(reader, option, item);
    if (parameters.empty()) continue;
    if (!decides_memory_only(*parameters.front())) {
      request.freedoms.push_back({parameters, separate});
    } else if (separate || parameters.size() > 1) {
      reader.error(option, fmt::format("{} decides memory only: it goes alone, in --free", in_quotes(item)));
    } else {
      request.of_memory.push_back(parameters.front());
    }
  }
}

void refuse_repeats(OptionReader& reader, const CalibrationRequest& request) {
  std::vector<const WaferParameter*> all = request.of_memory;
  for (const Freedom& freedom : request.freedoms)
    all.insert(all.end(), freedom.parameters.begin(), freedom.parameters.end());
  std::ranges::sort(all);
  const auto twice = std::ranges::adjacent_find(all);
  if (twice != all.end())
    reader.error("--free", fmt::format("{} is named twice", in_quotes(std::string(short_name(**twice)))));
}

}  // namespace

CalibrationRequest read_calibration_request(OptionReader& reader) {
  CalibrationRequest request;
  const std::optional<std::string> separate = reader.text("--separate");
  const std::string free = reader.text("--free").value_or(separate ? "" : std::string(default_free));
  if (!free.empty()) read_freedom(reader, "--free", free, false, request);
  if (separate) read_freedom(reader, "--separate", *separate, true, request);
  request.confidence = read_confidence(reader).value_or(default_confidence);
  refuse_repeats(reader, request);
  return request;
}

}  // namespace bta::cli
