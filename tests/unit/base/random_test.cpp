// Seeded choices are the same everywhere: anchored at the value that the C++ standard gives.
#include "base/random.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <set>

#include "support/approx.h"

namespace {

using bta::Random;

TEST_SUITE_BEGIN("unit");

TEST_CASE("the 10,000th word of seed 5489 is the standard's 9981545732273789042") {
  Random random(5489);
  for (int i = 1; i < 10'000; ++i) random.unit();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() - 1;
  CHECK(random.between(0, most) == 758173695419013235);  // the word modulo 2^63 - 1
}

TEST_CASE("choices take both ends and nothing beyond, unit stays below 1") {
  Random random(1);
  std::set<std::int64_t> seen;
  double sum = 0;
  for (int i = 0; i < 10'000; ++i) {
    seen.insert(random.between(-2, 3));
    const double unit = random.unit();
    CHECK((unit >= 0 && unit < 1));
    sum += unit;
  }
  CHECK(seen == std::set<std::int64_t>{-2, -1, 0, 1, 2, 3});
  CHECK(sum / 10'000 == bta::approx(0.5).epsilon(0.02));
  CHECK(random.one_in(1));
}

TEST_SUITE_END();

}  // namespace
