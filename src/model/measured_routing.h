// How the tokens of a measured run spread over the experts of a layer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bta {

struct MeasuredRouting {
  /// Of expert 0, 1, ..; with several layers the profile of an average layer: the mean share of the
  /// busiest expert of every layer, then of the second, and so on.
  std::vector<double> tokens_per_expert;
  std::string name;         // of the file, without folder
  std::int64_t layers = 0;  // measured layers that the profile averages; 0: the file names none
  std::string content_hash;
  bool operator==(const MeasuredRouting&) const = default;
};

}  // namespace bta
