// Every term of every formula passes here by name. In the library this is the identity and costs nothing; a
// test compiled with BTA_PERTURB changes one term at a time and demands that something notices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace bta {

#ifdef BTA_PERTURB

/// Defined by the test.
std::int64_t perturbed(std::string_view quantity, std::string_view subject, std::string_view part,
                       std::int64_t value);
double perturbed(std::string_view quantity, std::string_view subject, std::string_view part, double value);

template <class Number>
Number term(std::string_view quantity, std::string_view subject, std::string_view part, Number value) {
  return perturbed(quantity, subject, part, value);
}

/// A step of a phase, which stays one between `least` and `most` whatever is done to it.
inline int step_term(std::string_view quantity, std::string_view subject, std::string_view part, int step,
                     int least, int most) {
  const std::int64_t value = perturbed(quantity, subject, part, std::int64_t{step});
  return static_cast<int>(std::clamp<std::int64_t>(value, least, most));
}

#else

template <class Number>
constexpr Number term(std::string_view, std::string_view, std::string_view, Number value) {
  return value;
}
constexpr int step_term(std::string_view, std::string_view, std::string_view, int step, int, int) {
  return step;
}

#endif

}  // namespace bta
