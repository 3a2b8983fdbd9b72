// Kinds of bytes in UTF-8 text. No locale is asked.
#pragma once

namespace bta {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}
/// A byte inside a character of several bytes: each character has one byte that is none of these.
constexpr bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

}  // namespace bta
