// How much of a long test a run tries. BTA_TEST_ALL=1 (scripts/test --all) tries everything; otherwise a
// sample is drawn by BTA_TEST_SEED, 1 when it is not set, and the seed is printed.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace bta::test {

inline bool tries_everything() {
  return std::getenv("BTA_TEST_ALL") != nullptr;  // NOLINT(concurrency-mt-unsafe): one thread
}

inline std::uint64_t sample_seed() {
  const char* const text = std::getenv("BTA_TEST_SEED");  // NOLINT(concurrency-mt-unsafe)
  return text == nullptr ? 1 : std::stoull(text);
}

/// `count` of them in their order, or all.
template <class T>
std::vector<T> sample(std::vector<T> all, std::size_t count) {
  if (tries_everything() || all.size() <= count) return all;
  std::vector<T> chosen;
  std::sample(all.begin(), all.end(), std::back_inserter(chosen), count, std::mt19937_64(sample_seed()));
  MESSAGE(count, " of ", all.size(), ", BTA_TEST_SEED=", sample_seed());
  return chosen;
}

}  // namespace bta::test
