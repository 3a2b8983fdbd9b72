#include "hardware/wafer.h"

#include <cmath>

namespace bta {

Bytes memory_limit(const Wafer& wafer) {
  const Bytes whole = wafer.sram_per_core * product(wafer.rows, wafer.columns);
  if (wafer.reserved_fraction == 0) return whole;
  return Bytes(static_cast<std::int64_t>(std::floor(as_double(whole) * (1 - wafer.reserved_fraction))));
}

}  // namespace bta
