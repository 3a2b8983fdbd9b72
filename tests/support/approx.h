// Nearly equal, relative to the larger of both numbers. doctest's own Approx adds 1 to that, so that any two
// small numbers pass, say times of microseconds; a test of the house keeps it out.
#pragma once

#include <doctest/doctest.h>

namespace bta {

/// Within 1.2e-5, or what `.epsilon()` sets; only 0 is near 0.
inline doctest::Approx approx(double value) {
  return doctest::Approx(value).scale(1e-200);  // not 0: then 0 would not be near 0
}

}  // namespace bta
