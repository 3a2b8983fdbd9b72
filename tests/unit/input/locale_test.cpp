// Numbers read the same where the decimal mark is a comma.
#include <clocale>
#include <cstdlib>
#include <locale>

#include "input/quantity.h"
#include "unit/input/input_support.h"

namespace {

using namespace bta::test;

/// What std::locale("de_DE.UTF-8") prints with; that constructor leaks memory inside glibc when LOCPATH is
/// set.
struct GermanDigits : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

/// German conventions for C and C++ until the end of the test.
struct GermanLocale {
  std::locale before;
  GermanLocale() {
    ::setenv("LOCPATH", BTA_TEST_LOCPATH, 1);
    REQUIRE(std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr);
    std::locale::global(std::locale(std::locale::classic(), new GermanDigits));
    REQUIRE(std::localeconv()->decimal_point == std::string(","));
  }
  GermanLocale(const GermanLocale&) = delete;
  GermanLocale& operator=(const GermanLocale&) = delete;
  GermanLocale(GermanLocale&&) = delete;
  GermanLocale& operator=(GermanLocale&&) = delete;
  ~GermanLocale() {
    std::locale::global(before);
    std::setlocale(LC_ALL, "C");
    ::unsetenv("LOCPATH");
  }
};

TEST_SUITE_BEGIN("unit");

TEST_CASE("a point stays the decimal mark in a German locale") {
  const std::string yaml = text_of(BTA_TEST_DATA "/hardware/one-core.yaml");
  const std::string config = text_of(BTA_TEST_DATA "/models/qwen3-8b/config.json");
  const std::string plain_hash = good(model_from_json(config)).content_hash;
  const GermanLocale german;
  CHECK(bta::parse_real("0.85", {0, 1}).value() == 0.85);
  CHECK(bta::parse_integer("4096.0", {0, 5000}).value() == 4096);
  CHECK(bta::parse_quantity("1.5ms", bta::Dimension::seconds, {0, 1}).value() == 1.5e-3);
  CHECK_FALSE(bta::parse_real("0,85", {0, 1}).has_value());
  const auto wafer = wafer_from_yaml(with(yaml, "gemm: 1", "gemm: 0.85"));
  REQUIRE_MESSAGE(wafer.has_value(), problems(wafer));
  CHECK(wafer.value().gemm_efficiency == 0.85);
  CHECK(good(model_from_json(config)).content_hash == plain_hash);
  CHECK(problems(model_from_json("{\n\"a\": 1234.5,}")).starts_with("config.json:2:13: error:"));
}

TEST_CASE("messages do not group digits in a German locale") {
  const GermanLocale german;
  CHECK(bta::parse_integer("0", {1, 1000000}).error() ==
        "'0' is too small; a whole number from 1 to 1000000 is needed");
  CHECK(bta::parse_real("2", {0, 0.5}).error() ==
        "'2' is out of range; a number of at least 0 and at most 0.5 is needed");
}

TEST_SUITE_END();

}  // namespace
