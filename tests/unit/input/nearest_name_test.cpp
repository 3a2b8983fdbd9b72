#include <doctest/doctest.h>

#include "input/number.h"

namespace {

using bta::nearest_name;

const std::vector<std::string> keys{"hidden_size",           "num_heads",        "num_kv_heads", "top_k",
                                    "moe_intermediate_size", "intermediate_size"};

TEST_SUITE_BEGIN("unit");

TEST_CASE("a slip finds the name that was meant") {
  CHECK(nearest_name("moe_intermediate_sze", keys) == "moe_intermediate_size");
  CHECK(nearest_name("hiden_size", keys) == "hidden_size");
  CHECK(nearest_name("num_haeds", keys) == "num_heads");
  CHECK(nearest_name("topk", keys) == "top_k");
  CHECK(nearest_name("Top-K", keys) == "top_k");
  CHECK(nearest_name("interm_size", keys) == "");
}

TEST_CASE("a word that resembles nothing finds nothing") {
  CHECK(nearest_name("colour", keys) == "");
  CHECK(nearest_name("", keys) == "");
  CHECK(nearest_name("x", keys) == "");
  CHECK(nearest_name(std::string(10000, 'h'), keys) == "");
  CHECK(nearest_name("top_k", {}) == "");
}

TEST_CASE("of equally near names the first is taken, so that messages repeat") {
  CHECK(nearest_name("abcx", {"abca", "abcb"}) == "abca");
  CHECK(nearest_name("abcb", {"abca", "abcb"}) == "abcb");
}

TEST_SUITE_END();

}  // namespace
