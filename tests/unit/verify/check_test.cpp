// A comparison keeps the worst value, fails beyond its tolerance, and shows nothing when nothing was
// compared.
#include "verify/check.h"

#include <doctest/doctest.h>

#include <cmath>

#include "support/approx.h"

namespace {

using namespace bta::verify;

TEST_SUITE_BEGIN("verify");

TEST_CASE("an exact comparison fails on a difference of one in 10^18") {
  Comparison comparison("claim", "about", Measure::exact, 0);
  comparison.exact("equal", 1'000'000'000'000'000'001, 1'000'000'000'000'000'001);
  comparison.exact("off by one", 1'000'000'000'000'000'001, 1'000'000'000'000'000'000);
  const Check check = std::move(comparison).result();
  CHECK(check.compared == 2);
  CHECK(check.failed == 1);
  CHECK(check.worst == "off by one");
  CHECK(check.deviation > 0);
  CHECK_FALSE(check.passed());
}

TEST_CASE("the worst of the values within tolerance is told, and all pass") {
  Comparison comparison("claim", "about", Measure::relative, 0.1);
  comparison.near("a", 10, 10);
  comparison.near("b", 10, 10.5);
  comparison.near("c", 10, 9.8);
  const Check check = std::move(comparison).result();
  CHECK(check.passed());
  CHECK(check.worst == "b");
  CHECK(check.deviation == bta::approx(0.05));
  CHECK(*check.expected == 10);
  CHECK(*check.measured == 10.5);
}

TEST_CASE("what is not a number fails, zero against zero passes, anything against zero does not") {
  for (const Measure measure : {Measure::relative, Measure::to_largest, Measure::standard_error}) {
    Comparison comparison("claim", "about", measure, 0.1);
    comparison.near("nan", 1, std::nan(""), 1);
    comparison.near("zeros", 0, 0, 0);
    comparison.near("something", 0, 1e-30, 0);
    CHECK(std::move(comparison).result().failed == 2);
  }
}

TEST_CASE("deviation from the tensor's largest value, and in standard errors") {
  Comparison largest("claim", "about", Measure::to_largest, 0.1);
  largest.near("small element", 0.001, 0.002, 1);
  CHECK(std::move(largest).result().passed());
  Comparison z("claim", "about", Measure::standard_error, 4);
  z.near("mean", 10, 10.9, 0.2);
  const Check check = std::move(z).result();
  CHECK(check.deviation == bta::approx(4.5));
  CHECK_FALSE(check.passed());
}

TEST_CASE("a check that compared nothing has not passed") {
  Comparison nothing("claim", "about", Measure::exact, 0);
  CHECK_FALSE(std::move(nothing).result().passed());
}

TEST_SUITE_END();

}  // namespace
