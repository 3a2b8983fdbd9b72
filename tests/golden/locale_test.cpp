// The library's writers ignore a locale that its host set.
#include <doctest/doctest.h>

#include <clocale>
#include <cstdlib>
#include <locale>

#include "golden/sample_records.h"
#include "report/explain_report.h"
#include "report/plan_report.h"

namespace {

using namespace bta;

/// std::locale("de_DE.UTF-8") itself leaks memory inside glibc when LOCPATH is set.
struct GermanDigits : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

std::string everything() {
  std::string text;
  for (const Format format : {Format::table, Format::csv, Format::json, Format::markdown})
    text += write_plan(golden::sample_plan(), format) +
            write_explanation(golden::sample_explanation({3, 5}), format);
  return text;
}

TEST_CASE("writers print the same under a locale with a decimal comma and grouping") {
  const std::string before = everything();
  REQUIRE(setenv("LOCPATH", BTA_TEST_LOCPATH, 1) == 0);
  REQUIRE_MESSAGE(std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr, "no de_DE.UTF-8 under " BTA_TEST_LOCPATH);
  REQUIRE(std::string(std::localeconv()->decimal_point) == ",");
  const std::locale plain = std::locale::global(std::locale(std::locale::classic(), new GermanDigits));
  const std::string after = everything();
  std::locale::global(plain);
  std::setlocale(LC_ALL, "C");
  CHECK(after == before);
}

}  // namespace
