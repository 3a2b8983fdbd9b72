// A model and a wafer small enough to run in milliseconds, of the same kind: what the full one has (grouped
// heads, q/k norm, biases, shared experts, dense layers, windows, ties) the small one has too.
//
//   model  one layer of each kind in order, at least two when the model has two; d 32, head size 8
//   heads  at most 2 KV heads of at most 2 query heads each; window at most 5
//   MLPs   E at most 12, k at most 3 (k = E stays so), expert width 20, shared 12, dense 28; V 61
//   wafer  7 rows, 5 columns, blocks of 3 rows of scores; streams as many bytes per second and column as
//          before, overheads as large beside a layer's work as before
//   work   S 8; micro-batch of 12 sequences; head chunk 40 tokens, which does not divide; a measured routing
//          by quantiles of its profile
#pragma once

#include <string>

#include "cost/problem.h"

namespace bta::verify {

Model scaled_model(const Model& model);
Problem scaled_problem(const Problem& problem);
inline constexpr std::int64_t scaled_micro_batch = 12;
/// A measured routing for another number of experts: expert i of n in order of load gets the mean of the
/// profile between i/n and (i+1)/n of its experts, and the first top_k get something. Others stay as they
/// are.
Routing scaled_routing(const Routing& routing, std::int64_t experts, std::int64_t top_k);
/// One sentence for the user.
std::string scale_note(const Problem& problem);

}  // namespace bta::verify
