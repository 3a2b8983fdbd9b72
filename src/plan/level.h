// Sparsity levels: E at fixed k, or k at fixed E, with the model's expert width or with constant active
// parameters (width = f*k_model/k, rounded to nearest).
#pragma once

#include <cstdint>
#include <vector>

#include "base/diagnostic.h"
#include "cost/workload.h"
#include "model/model.h"

namespace bta {

struct Level {
  std::int64_t experts = 0;
  std::int64_t top_k = 0;
  std::int64_t expert_width = 0;
  bool operator==(const Level&) const = default;
};

struct LevelRequest {
  std::vector<std::int64_t> experts;  // empty: see levels()
  std::vector<std::int64_t> top_k;
  bool iso_active = false;
};

/// Both lists empty: the two published series scaled to the model: E = k, 2k, 4k .. E_model at k_model, then
/// k = k_model/2 .. 1 at E_model, each level once. One list empty: the model's own value. Else all pairs in
/// the order given. A dense model has no levels: an error if any are asked for, else empty.
/// Errors: top_k > experts, width that rounds to 0; each names the option.
///
/// A measured routing belongs to one number of experts: of the series only its levels at E_model are left,
/// and a level with other than the measured number, or with a top_k above the number of experts that have
/// tokens, is an error, as is a dense model.
Result<std::vector<Level>> levels(const Model& model, const LevelRequest& request,
                                  const Routing& routing = BalancedRouting{});

/// The model at a level. E = k is the dense equivalent: one fused MLP, no router.
Model at_level(const Model& model, const Level& level);

}  // namespace bta
