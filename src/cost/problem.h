// A model, a wafer and a workload with what every formula derives from them, built once. All of `cost`
// are pure functions of a Problem and a Tiling.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cost/operators.h"
#include "cost/routing.h"
#include "cost/workload.h"
#include "hardware/wafer.h"
#include "model/model.h"

namespace bta {

struct ProblemLayer {
  Layer layer;
  std::int64_t count = 0;    // equal layers
  std::int64_t deepest = 0;  // 1-based position of the last of them
  std::vector<Operator> operators;
  std::vector<ExpertGroup> experts;  // empty for a dense MLP
};

struct Problem {
  Model model;
  Wafer wafer;
  Workload workload;
  std::vector<ProblemLayer> layers;
  std::vector<Operator> head;
  std::int64_t head_chunk = 0;  // hc
};

/// hc: the workload's, or the multiple of R*v nearest to 4096 tokens, at least one: a chunk fills whole rows
/// of vectors.
std::int64_t head_chunk(const Wafer& wafer, const Workload& workload);

Problem make_problem(Model model, Wafer wafer, Workload workload);

/// The largest H of the layers.
std::int64_t most_heads(const Problem& problem);

/// Parameters of the operators of one stage; of one expert in Stage::expert.
std::int64_t stage_parameters(std::span<const Operator> operators, Stage stage);

/// x = N*S*d*a: one concatenated activation tensor.
Bytes activation_bytes(const Problem& problem, std::int64_t sequences);

}  // namespace bta
