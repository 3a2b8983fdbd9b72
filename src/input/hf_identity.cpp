#include <fmt/format.h>

#include <algorithm>

#include "input/hf_file.h"
#include "input/hf_refused.h"
#include "input/quoted.h"

namespace bta {
namespace {

/// One statement of a file about what it describes.
struct Claim {
  const Node* node;
  std::string_view key;
  const HfFamily* family;  // nullptr: not in the table
};

bool is_named(const HfFamily& family, std::string_view name) {
  return family.model_type == name || family.architecture == name ||
         (!name.empty() && std::find(family.also.begin(), family.also.end(), name) != family.also.end());
}

/// The first that has the name: a model_type may be that of several.
const HfFamily* family_named(std::string_view name) {
  const auto all = hf_families();
  const auto found =
      std::find_if(all.begin(), all.end(), [name](const HfFamily& family) { return is_named(family, name); });
  return found == all.end() ? nullptr : &*found;
}

void add_claim(std::vector<Claim>& claims, const Node& name, std::string_view key) {
  const bool named = name.kind == Node::Kind::scalar;
  claims.push_back({&name, key, named ? family_named(name.text) : nullptr});
}

std::vector<Claim> claims_of(const Node& map) {
  std::vector<Claim> claims;
  const Node* const architectures = find(map, "architectures");
  const Node* const model_type = find(map, "model_type");
  if (architectures != nullptr && architectures->kind == Node::Kind::sequence) {
    for (const Node& name : architectures->children) add_claim(claims, name, "architectures");
  } else if (architectures != nullptr && architectures->kind != Node::Kind::null) {
    add_claim(claims, *architectures, "architectures");
  }
  if (model_type != nullptr && model_type->kind != Node::Kind::null)
    add_claim(claims, *model_type, "model_type");
  return claims;
}

/// Around a text_config that says what it is, unknown names are those of the wrapper.
void add_wrapper_claims(std::vector<Claim>& claims, const Node& root, std::vector<std::string>& notes) {
  const bool text_is_named = !claims.empty();
  for (const Claim& claim : claims_of(root)) {
    const bool known = claim.family != nullptr || refusal_reason(claim.node->text, root);
    if (text_is_named && !known) {
      notes.push_back(fmt::format("{} is {}: only its text model is read", claim.key, shown(*claim.node)));
    } else {
      claims.push_back(claim);
    }
  }
}

std::string contradiction(const Claim& claim, const Claim& other) {
  return fmt::format("{} contradicts {} of the same file", shown(*claim.node), shown(*other.node));
}

/// Why a file with this claim cannot be read.
std::string refusal(const Claim& claim, const std::vector<Claim>& claims, const Node& keys) {
  const auto reason = refusal_reason(claim.node->text, keys);
  const auto known =
      std::find_if(claims.begin(), claims.end(), [](const Claim& other) { return other.family != nullptr; });
  if (reason && known != claims.end()) return contradiction(claim, *known);
  return fmt::format("{} is not supported{}", shown(*claim.node),
                     reason ? ": " + *reason : "; supported: " + supported_hf_families());
}

}  // namespace

const HfFamily* identify_family(const Node& root, const Node* nested, std::vector<std::string>& notes,
                                ReadLog& log) {
  const Node& keys = nested != nullptr ? *nested : root;
  std::vector<Claim> claims = claims_of(keys);
  if (nested != nullptr) add_wrapper_claims(claims, root, notes);
  if (claims.empty()) {
    log.problem(root, "",
                "neither 'architectures' nor 'model_type' says which family this is; supported: " +
                    supported_hf_families());
    return nullptr;
  }
  const HfFamily* const family = claims.front().family;
  for (const Claim& claim : claims) {
    if (claim.family == nullptr) {
      log.problem(*claim.node, claim.key, refusal(claim, claims, keys));
      return nullptr;
    }
    if (!is_named(*family, claim.node->text)) {
      log.problem(*claim.node, claim.key, contradiction(claim, claims.front()));
    }
  }
  return family;
}

}  // namespace bta
