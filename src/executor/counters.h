// What a run did, counted as it does it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/count.h"
#include "cost/phases.h"
#include "executor/fabric.h"

namespace bta::executor {

/// Bytes that crossed the edge of the wafer in one kind of phase of one layer.
struct Streamed {
  Bytes weights_in, checkpoint_in, gradients_out, checkpoint_out;
  bool operator==(const Streamed&) const = default;
};

/// FLOPs of one operator of one layer.
struct OperatorFlops {
  Flops forward;    // forward runs, the recomputed ones too
  Flops gradients;  // input and weight gradients
  Flops
      performed;  // what the kernels really multiplied and added: gemm and attention class of a run with data
  bool operator==(const OperatorFlops&) const = default;
};

struct LayerCounters {
  std::vector<OperatorFlops> operators;  // in the order of the layer's operator list
  std::vector<ExpertLoad> experts;
};

struct Counters {
  std::vector<LayerCounters> layers;                               // of the model; the last is the head
  std::vector<std::array<Streamed, phase_names.size()>> streamed;  // [layer][PhaseKind]; the last is the head
};

}  // namespace bta::executor
