// Numbers as people read them: thousands separators, GB (1e9 bytes), percent. Only for tables and
// Markdown; machine formats print SI base units (see cell.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/cell.h"

namespace bta {

/// How a column looks to people; all but `text` stand right-aligned.
enum class Look : std::uint8_t {
  text,
  count,    // 1,234
  decimal,  // 3.5, 1,234
  giga,     // of 1e9: 38.21
  tera,     // of 1e12: 61.1
  percent,  // 53.1 %
  change,   // +0.47 %, -12.30 %, 0
  factor,   // 5.82x
  seconds   // 1.23 s, 45.6 ms
};

std::string for_people(const Cell& value, Look look);

std::string grouped(std::int64_t value);                        // 1,234,567
std::string grouped(double value);                              // rounded to a whole number
std::string percent_text(double fraction);                      // 0.531 -> "53.1 %"
std::string change_text(double fraction);                       // 0.0047 -> "+0.47 %"; 0 -> "0"
std::string seconds_text(double seconds);                       // 3 digits with s, ms, us or ns
std::string bytes_text(double bytes);                           // 3 digits with B, kB, MB, GB, TB or PB
std::string plural(std::int64_t count, std::string_view noun);  // "1 wafer", "2 wafers"

}  // namespace bta
