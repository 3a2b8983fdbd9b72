// Cells at their edges: formulas, quotes, pipes, shortest digits, absent values, display widths.
#include <doctest/doctest.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "report/csv.h"
#include "report/json.h"
#include "report/markdown.h"
#include "report/text_table.h"

namespace {

using namespace bta;

double read_back(const std::string& digits) {
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  CHECK(error == std::errc());
  CHECK(end == digits.data() + digits.size());
  return value;
}

std::string csv_of(const Cell& value) {
  const std::string csv = write_csv({{"x"}, {{value}}});
  REQUIRE(csv.starts_with("x\r\n"));
  REQUIRE(csv.ends_with("\r\n"));
  return csv.substr(3, csv.size() - 5);
}

TEST_SUITE_BEGIN("cells");

TEST_CASE("a text that begins like a formula gets an apostrophe, a number never") {
  for (const std::string text : {"=1+1", "+1", "-2+3", "@A1", "\tx"}) CHECK(csv_of(Cell(text)) == "'" + text);
  CHECK(csv_of(Cell(std::string("\rx"))) == "\"'\rx\"");
  CHECK(csv_of(Cell(std::string("\nx"))) == "\"'\nx\"");
  CHECK(csv_of(Cell(std::string("a=1"))) == "a=1");
  CHECK(csv_of(cell(-12.5)) == "-12.5");
  CHECK(csv_of(cell(std::int64_t{-3})) == "-3");
}

TEST_CASE("commas, quotes and line breaks are quoted") {
  CHECK(csv_of(Cell(std::string("a,\"b\""))) == "\"a,\"\"b\"\"\"");
  CHECK(csv_of(Cell(std::string("a\nb"))) == "\"a\nb\"");
}

TEST_CASE("what is no number is absent everywhere") {
  for (const double value :
       {std::nan(""), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
    CHECK(is_absent(cell(value)));
    CHECK(write_json(Json{{"x", value}}) == "{\n  \"x\": null\n}\n");
  }
  CHECK(csv_of(cell(std::optional<double>())) == "");
  CHECK(to_json(cell(std::optional<double>())).is_null());
  CHECK(for_people(Cell(), Look::percent) == "-");
}

TEST_CASE("reals print the shortest digits that read back, the same in CSV and JSON") {
  for (const double value :
       {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, 9007199254740993.0, 2e22, 9.5367431640625e-07, 5e-05}) {
    const std::string digits = csv_of(cell(value));
    CHECK(read_back(digits) == value);
    CHECK(write_json(Json(value)) == digits + "\n");
    CHECK(Json::parse(digits).get<double>() == value);
  }
  CHECK(csv_of(cell(0.1)) == "0.1");
  CHECK(csv_of(cell(5e-324)) == "5e-324");
}

TEST_CASE("bytes that are not UTF-8 cannot break a JSON document") {
  CHECK(Json::accept(write_json(Json{{"x", "\xFF\"\n"}})));
}

TEST_CASE("pipes and backslashes are escaped in Markdown") {
  CHECK(markdown_text("a|b\\c\nd") == "a\\|b\\\\c d");
}

TEST_CASE("widths are those of the display") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("\xC3\xA9") == 1);      // e with acute
  CHECK(display_width("e\xCC\x81") == 1);     // the same, combined
  CHECK(display_width("\xE6\x97\xA5") == 2);  // a wide character
  CHECK(display_width("\xFF") == 1);          // no UTF-8
}

TEST_CASE("people's numbers") {
  CHECK(grouped(std::int64_t{-1234567}) == "-1,234,567");
  CHECK(grouped(std::int64_t{999}) == "999");
  CHECK(for_people(cell(1234.5), Look::decimal) == "1,234");
  CHECK(for_people(cell(0.531), Look::percent) == "53.1 %");
  CHECK(for_people(cell(0.00437), Look::change) == "+0.44 %");
  CHECK(for_people(cell(-0.123), Look::change) == "-12.30 %");
  CHECK(for_people(cell(-0.00002), Look::change) == "-0.002 %");
  CHECK(for_people(cell(0.0), Look::change) == "0");
  CHECK(seconds_text(0.0456) == "45.6 ms");
  CHECK(bytes_text(999) == "999 B");
  CHECK(bytes_text(45e9) == "45.0 GB");
  CHECK(plural(1, "wafer") == "1 wafer");
}

TEST_CASE("a paragraph breaks at spaces within the page") {
  const std::string text = write_paragraph(std::string(100, 'x') + " " + std::string(30, 'y'), "> ", "    ");
  CHECK(text == "> " + std::string(100, 'x') + "\n    " + std::string(30, 'y') + "\n");
}

TEST_SUITE_END();

}  // namespace
