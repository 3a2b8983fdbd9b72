// Exact integer counts that the compiler keeps apart: bytes, FLOPs, tokens and sequences are
// different types. Sums and products are exact or throw std::overflow_error (never wrap); the
// command line turns that into "too large to count" (exit 2). Rates and times are doubles whose
// names carry their SI unit (`clock_hz`, `stream_in_bytes_per_s`, `step_s`).
#pragma once

#include <compare>
#include <cstdint>
#include <stdexcept>

namespace bta {

constexpr std::int64_t checked_add(std::int64_t x, std::int64_t y) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(x, y, &sum)) throw std::overflow_error("a count exceeds 64 bits");
  return sum;
}

constexpr std::int64_t checked_mul(std::int64_t x, std::int64_t y) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(x, y, &product)) throw std::overflow_error("a count exceeds 64 bits");
  return product;
}

/// Smallest q with q * divisor >= dividend; dividend >= 0, divisor > 0.
constexpr std::int64_t ceil_div(std::int64_t dividend, std::int64_t divisor) {
  return dividend / divisor + (dividend % divisor != 0 ? 1 : 0);
}

/// Product of integer factors, checked.
template <class... Factors>
constexpr std::int64_t product(Factors... factors) {
  std::int64_t result = 1;
  ((result = checked_mul(result, factors)), ...);
  return result;
}

/// A number of `Unit`s. Only like units add; only plain integers scale.
template <class Unit>
struct Count {
  std::int64_t value = 0;

  constexpr Count() = default;
  constexpr explicit Count(std::int64_t n) : value(n) {}

  constexpr auto operator<=>(const Count&) const = default;
  constexpr Count operator+(Count other) const { return Count(checked_add(value, other.value)); }
  constexpr Count operator-(Count other) const { return Count(checked_add(value, -other.value)); }
  constexpr Count operator*(std::int64_t factor) const { return Count(checked_mul(value, factor)); }
  constexpr Count& operator+=(Count other) { return *this = *this + other; }
  friend constexpr Count operator*(std::int64_t factor, Count count) { return count * factor; }
};

template <class Unit>
constexpr double as_double(Count<Unit> count) {
  return static_cast<double>(count.value);
}
constexpr double as_double(std::int64_t n) {
  return static_cast<double>(n);
}

using Bytes = Count<struct ByteUnit>;
using Flops = Count<struct FlopUnit>;  // operations, not a rate; 1 multiply-add = 2 FLOPs
using Tokens = Count<struct TokenUnit>;
using Sequences = Count<struct SequenceUnit>;

constexpr Bytes operator""_B(unsigned long long n) {
  return Bytes(static_cast<std::int64_t>(n));
}
constexpr Bytes operator""_KiB(unsigned long long n) {
  return Bytes(product(static_cast<std::int64_t>(n), 1024));
}

static_assert(1_KiB == 1024_B);
static_assert(2 * Bytes(3) + Bytes(4) == Bytes(10));
static_assert(ceil_div(7, 4) == 2 && ceil_div(8, 4) == 2 && ceil_div(0, 4) == 0);

}  // namespace bta
