// The parameters of a model by part, with the bytes of their weights.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"
#include "report/grid.h"

namespace bta {

/// Parameters, all resident at once and as one pass streams them. Streamed are the operators' weights, every
/// expert's once; looked up off the wafer, and so not streamed, are positions and an untied embedding table;
/// the gains of norms after attention and MLP are counted and not streamed.
struct ModelBytes {
  std::string name;
  std::int64_t parameters = 0;
  std::optional<std::int64_t> resident;  // bytes; absent for what no plan holds
  std::optional<std::int64_t> streamed;  // bytes
};

/// By part, then total, active, active without the input embedding, then what is counted apart.
std::vector<ModelBytes> model_bytes(const Model& model, std::int64_t weight_bytes);

Grid model_bytes_grid(const std::vector<ModelBytes>& parts);
/// In words, without parts that the model does not have.
TextGrid model_bytes_table(const std::vector<ModelBytes>& parts);

}  // namespace bta
