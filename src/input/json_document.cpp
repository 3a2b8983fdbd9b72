#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/characters.h"
#include "input/decimal.h"
#include "input/document.h"
#include "input/tree_builder.h"

namespace bta {
namespace {

/// Follows the text beside nlohmann's events, which carry no places, turn long integers into doubles
/// and spell numbers with the locale's decimal mark. Between two events there is nothing but white
/// space, commas, colons and closing brackets: the next token of the text is the event's own.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  Position find_token() { return advance(text_.find_first_not_of(" \t\r\n,:]}", at_)); }

  /// A number, true, false or null, as written.
  std::string take_word() {
    const std::size_t begin = at_;
    advance(text_.find_first_of(" \t\r\n,:]}", at_));
    return std::string(text_.substr(begin, at_ - begin));
  }
  void take_string() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    advance(end + 1);
  }
  void take_bracket() { advance(at_ + 1); }

  Position advance(std::size_t to) {
    for (to = std::min(to, text_.size()); at_ < to; ++at_) count(text_[at_]);
    return here_;
  }
  /// Onto the word, or else the character, that ends where the parser stopped reading.
  Position find_culprit(std::size_t bytes_read) {
    if (bytes_read > text_.size()) return advance(text_.size());
    std::size_t begin = bytes_read - std::min<std::size_t>(bytes_read, 1);
    while (begin > at_ && is_word(text_[begin]) && is_word(text_[begin - 1])) --begin;
    return advance(begin);
  }
  std::string_view rest() const { return text_.substr(at_); }

 private:
  static bool is_word(char c) {
    return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '+' ||
           c == '.' || c == '_';
  }
  void count(char c) {
    if (c == '\n') {
      here_ = {here_.line + 1, 1};
    } else if (!continues_character(c)) {
      ++here_.column;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Position here_{1, 1};
};

/// "[json.exception.parse_error.101] parse error at line 1, column 8: WORDS; last read: 'TEXT'" -> WORDS
std::string parser_words(std::string_view message) {
  if (const std::size_t end = message.find("] "); end != std::string_view::npos)
    message.remove_prefix(end + 2);
  const std::size_t place = message.find(": ");
  if (message.starts_with("parse error at") && place != std::string_view::npos)
    message.remove_prefix(place + 2);
  return std::string(message.substr(0, message.find("; last read: ")));
}

/// What people write that JSON does not have, or the parser's own words.
std::string syntax_problem(std::string_view rest, const std::string& parser_message) {
  constexpr std::array not_finite{"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf"};
  for (const std::string_view name : not_finite) {
    if (rest.starts_with(name))
      return fmt::format("{} is not a JSON number; write a finite number or null", name);
  }
  if (rest.starts_with("//") || rest.starts_with("/*") || rest.starts_with("#")) {
    return "comments are not JSON; remove them";
  }
  return "this is not valid JSON: " + parser_words(parser_message);
}

class SaxHandler {
 public:
  using json = nlohmann::json;

  explicit SaxHandler(std::string_view text) : cursor_(text) {}
  Document take_document(const std::string& file) { return builder_.take_document(file); }

  bool null() {
    const Position at = cursor_.find_token();
    cursor_.take_word();
    builder_.null(at);
    return true;
  }
  bool boolean(bool) { return word(); }
  bool number_integer(json::number_integer_t) { return number(); }
  bool number_unsigned(json::number_unsigned_t) { return number(); }
  bool number_float(json::number_float_t, const std::string&) { return number(); }
  bool string(const std::string& value) { return quoted_text(value); }
  bool key(const std::string& value) { return quoted_text(value); }
  bool binary(const json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Node::Kind::map); }
  bool start_array(std::size_t) { return open(Node::Kind::sequence); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  [[noreturn]] bool parse_error(std::size_t bytes_read, const std::string&, const json::exception& error) {
    const Position at = cursor_.find_culprit(bytes_read);
    throw Refusal{at, builder_.path(), syntax_problem(cursor_.rest(), error.what())};
  }

 private:
  bool word() {
    const Position at = cursor_.find_token();
    builder_.scalar(at, cursor_.take_word(), false);
    return true;
  }
  /// nlohmann ends a number at the second digit of 0100 and complains about the rest.
  bool number() {
    const Position at = cursor_.find_token();
    const std::string written = cursor_.take_word();
    const Parsed<Decimal> decimal = scan_decimal(written);
    if (!decimal) throw Refusal{at, builder_.path(), decimal.error()};
    builder_.scalar(at, written, false);
    return true;
  }
  bool quoted_text(const std::string& value) {
    const Position at = cursor_.find_token();
    cursor_.take_string();
    builder_.scalar(at, value, true);
    return true;
  }
  bool open(Node::Kind kind) {
    builder_.open(kind, cursor_.find_token());
    cursor_.take_bracket();
    return true;
  }
  bool close() {
    builder_.close();
    return true;
  }

  Cursor cursor_;
  TreeBuilder builder_;
};

}  // namespace

Result<Document> parse_json(std::string_view text, const std::string& file) {
  SaxHandler handler(text);
  try {
    nlohmann::json::sax_parse(text.begin(), text.end(), &handler);
  } catch (const Refusal& refusal) {
    return Diagnostics{refusal.in(file)};
  } catch (const std::exception& error) {
    return Diagnostics{{file, 0, 0, "", fmt::format("this is not valid JSON: {}", error.what())}};
  }
  return handler.take_document(file);
}

}  // namespace bta
