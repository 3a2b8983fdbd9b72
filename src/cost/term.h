// Every term of every formula passes here by name. In the library this is the identity and costs nothing; a
// test compiled with BTA_PERTURB changes one term at a time and demands that something notices.
#pragma once

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

#else

template <class Number>
constexpr Number term(std::string_view, std::string_view, std::string_view, Number value) {
  return value;
}

#endif

}  // namespace bta
