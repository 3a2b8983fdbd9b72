// Quantities with units: `48KiB`, `1.1GHz`, `150GB/s`, `7.5PFLOP/s`, `1.5ms`; one space may stand
// before the unit. k, M, G, T, P are powers of 1000 and Ki, Mi, Gi, Ti, Pi powers of 1024.
// Refused, each with its own sentence: no unit, a bare letter (44G), bits (Gb, Gb/s), a unit of another
// dimension, an unknown unit. Bytes come out as exact integers.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/count.h"
#include "input/number.h"

namespace bta {

enum class Dimension : std::uint8_t { bytes, hertz, bytes_per_second, flops_per_second, seconds };

/// The value in SI base units (B, Hz, B/s, FLOP/s, s); `range` in those units too.
Parsed<double> parse_quantity(std::string_view text, Dimension dimension, RealRange range);

/// A whole number of bytes.
Parsed<Bytes> parse_bytes(std::string_view text, IntegerRange range);

}  // namespace bta
