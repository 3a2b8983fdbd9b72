#include <algorithm>
#include <random>
#include <set>

#include "input/document.h"
#include "input/node.h"
#include "unit/input/input_support.h"

namespace {

using namespace bta::test;

std::string hash_of(const std::string& yaml) {
  const auto document = bta::parse_yaml(yaml, "f");
  REQUIRE(document.has_value());
  return bta::content_hash(document.value().root);
}

/// The members of every map in another order.
void shuffle(bta::Node& node, std::mt19937& random) {
  for (bta::Node& child : node.children) shuffle(child, random);
  if (node.kind == bta::Node::Kind::map) std::shuffle(node.children.begin(), node.children.end(), random);
}

TEST_SUITE_BEGIN("unit");

TEST_CASE("a content hash is SHA-256 in hex") {
  CHECK(bta::content_hash({}) ==
        "7ace431cb61584cb9b8dc7ec08cf38ac0a2d649660be86d349fb43108b542fa4");  // of "~"
}

TEST_CASE("the order of keys does not change the hash") {
  std::mt19937 random(1);
  for (const bta::Builtin& builtin : bta::builtin_hardware()) {
    bta::Node root = bta::parse_yaml(builtin.text, "f").value().root;
    const std::string hash = bta::content_hash(root);
    for (int i = 0; i < 50; ++i) {
      shuffle(root, random);
      CHECK(bta::content_hash(root) == hash);
    }
  }
}

TEST_CASE("comments, layout, nulls and the standing of numbers do not change the hash") {
  const std::string hash = hash_of("a: 1\nb: {c: x}\n");
  CHECK(hash_of("# note\nb:\n  c: 'x'\na:   1\n") == hash);
  CHECK(hash_of("{a: {value: 1, kind: assumed, source: me}, b: {c: x, kind: measured}, d: null}") == hash);
}

TEST_CASE("every other difference changes the hash") {
  const std::set<std::string> hashes{hash_of("{a: 1}"),       hash_of("{a: 2}"),         hash_of("{b: 1}"),
                                     hash_of("{a: [1]}"),     hash_of("{a: {b: 1}}"),    hash_of("{a1: ''}"),
                                     hash_of("{a: 1, b: 2}"), hash_of("{a: '1, b: 2'}"), hash_of("[a, 1]"),
                                     hash_of("[1, a]"),       hash_of("[[a], 1]"),       hash_of("[a1]")};
  CHECK(hashes.size() == 12);
}

TEST_CASE("an override changes the hash as the same edit in the file would") {
  const auto edited = good(model_from_yaml(with(tiny_model, "top_k: 2", "top_k: 4")));
  const auto overridden = good(model_from_yaml(tiny_model, {{"top_k", "4"}}));
  CHECK(edited.content_hash == overridden.content_hash);
  CHECK(edited.content_hash != good(model_from_yaml(tiny_model)).content_hash);
}

TEST_SUITE_END();

}  // namespace
