// One row of a verification: a claim, how many values it was tried on, and the worst of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bta::verify {

/// How the deviation of a value is measured.
enum class Measure {
  exact,          // integers or bits: any difference fails
  relative,       // |measured - expected| / |expected|
  to_largest,     // |measured - expected| / largest expected value of its tensor
  standard_error  // |measured mean - expected| / standard error of the mean: |z|
};
inline constexpr std::string_view measure_names[] = {"exact", "relative", "relative to the tensor's largest",
                                                     "standard errors"};

struct Check {
  std::string claim;  // "FLOPs of every operator equal the closed form"
  std::string about;  // what was run: "scaled qwen3-30b-a3b, B 2, G 3, checkpoint XY"
  Measure measure = Measure::exact;
  std::int64_t compared = 0;       // values
  std::int64_t failed = 0;         // of them
  double deviation = 0;            // the largest, in the check's measure
  double tolerance = 0;            // a value fails above it
  std::string worst;               // where the largest deviation is; empty when all are 0
  std::optional<double> expected;  // there
  std::optional<double> measured;  // there
  std::string note;                // e.g. "standard error 0.1 % of the mean"; may be empty

  /// Nothing compared is nothing shown.
  bool passed() const { return failed == 0 && compared > 0; }
};

/// Compares value by value and keeps the worst.
class Comparison {
 public:
  Comparison(std::string claim, std::string about, Measure measure, double tolerance);

  void exact(std::string_view where, std::int64_t expected, std::int64_t measured);
  /// relative: against `expected`; else against `scale`: the largest value, the standard error. Not finite:
  /// fails.
  void near(std::string_view where, double expected, double measured, double scale = 0);
  /// Equal or not, as a whole: `values` of them.
  void same(std::string_view where, bool equal, std::int64_t values = 1);
  void note(std::string text) { check_.note = std::move(text); }

  Check result() && { return std::move(check_); }

 private:
  void add(std::string_view where, double deviation, bool failed, double expected, double measured);
  Check check_;
};

}  // namespace bta::verify
