#include "cli/point.h"

#include <fmt/format.h>

namespace bta::cli {
namespace {

std::optional<std::int64_t> divided(OptionReader& reader, std::int64_t micro_batch, const std::string& by,
                                    std::int64_t divisor) {
  if (micro_batch % divisor == 0) return micro_batch / divisor;
  reader.error("--micro-batch", fmt::format("{} is not a multiple of {} {}", micro_batch, by, divisor));
  return std::nullopt;
}

}  // namespace

std::optional<Tiling> read_tiling(OptionReader& reader) {
  std::optional<std::int64_t> tile = reader.integer("--tile-batch", positive_integers),
                              tiles = reader.integer("--tiles", positive_integers);
  const std::optional<std::int64_t> total = reader.integer("--micro-batch", positive_integers);
  if (total && tile && tiles && checked_mul(*tile, *tiles) != *total)
    reader.error("--micro-batch",
                 fmt::format("{} is not B*G = {}*{} = {}", *total, *tile, *tiles, *tile * *tiles));
  if (total && !tile && !tiles && !reader.has("--tile-batch") && !reader.has("--tiles"))
    reader.error("--micro-batch",
                 fmt::format("{} needs -B or -G beside it; for the best of both leave it out, or use "
                             "--max-micro-batch",
                             *total));
  if (total && tile && !tiles) tiles = divided(reader, *total, "-B", *tile);
  if (total && tiles && !tile) tile = divided(reader, *total, "-G", *tiles);
  if (!tile && !tiles) return std::nullopt;
  return Tiling{tile.value_or(1), tiles.value_or(1)};
}

Result<Model> model_at_level(const Model& model, LevelRequest request, const Routing& routing,
                             std::string_view command) {
  Diagnostics errors;
  const std::string one_value = fmt::format("{} takes one value", command);
  if (request.experts.size() > 1) errors.push_back(option_error("--experts", one_value));
  if (request.top_k.size() > 1) errors.push_back(option_error("--top-k", one_value));
  if (!errors.empty()) return errors;
  const MoeMlp* moe = moe_of(model);
  if (moe && request.experts.empty()) request.experts = {moe->experts};
  if (moe && request.top_k.empty()) request.top_k = {moe->top_k};
  const Result<std::vector<Level>> found = levels(model, request, routing);
  if (!found) return found.error();
  return found.value().empty() ? model : at_level(model, found.value().front());
}

}  // namespace bta::cli
