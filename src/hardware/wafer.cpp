#include "hardware/wafer.h"

#include <cmath>

namespace bta {

Bytes memory_limit(const Wafer& wafer) {
  const Bytes whole = wafer.sram_per_core * product(wafer.rows, wafer.columns);
  if (wafer.reserved_fraction == 0) return whole;
  return Bytes(static_cast<std::int64_t>(std::floor(as_double(whole) * (1 - wafer.reserved_fraction))));
}

std::int64_t vector_width(const Wafer& wafer, Precision precision) {
  switch (precision) {
    case Precision::fp16:
      return wafer.vector_width.fp16.value_or(0);
    case Precision::bf16:
      return wafer.vector_width.bf16.value_or(0);
    case Precision::fp32:
      return wafer.vector_width.fp32.value_or(0);
  }
  return 0;
}

}  // namespace bta
