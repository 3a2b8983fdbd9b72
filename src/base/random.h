// Seeded choices that are the same on every platform: std::mt19937_64 is specified to the bit, and what is
// made of its words here is exact. (The distributions of <random> are not specified.) By remainder: even
// enough for choices out of far fewer than 2^64.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

namespace bta {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// low..high, both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }
  template <class T, std::size_t n>
  T pick(const std::array<T, n>& choices) {
    return choices[static_cast<std::size_t>(between(0, n - 1))];
  }
  /// [0, 1), a multiple of 2^-53.
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace bta
