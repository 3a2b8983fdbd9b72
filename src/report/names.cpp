#include "report/names.h"

#include <fmt/format.h>

namespace bta {
namespace {

template <class Enum, class Names>
std::string_view pick(Enum value, const Names& names) {
  return names.at(static_cast<std::size_t>(value));
}

}  // namespace

std::string_view name_of(Mask mask) {
  return pick(mask, mask_names);
}
std::string_view name_of(AttentionKernel kernel) {
  return pick(kernel, attention_names);
}
std::string_view name_of(Checkpoint checkpoint) {
  return pick(checkpoint, checkpoint_names);
}
std::string_view name_of(Placement placement) {
  return pick(placement, placement_names);
}
std::string_view name_of(Precision precision) {
  return pick(precision, precision_names);
}

std::string name_of(const Routing& routing) {
  if (const auto* zipf = std::get_if<ZipfRouting>(&routing)) return fmt::format("zipf:{}", zipf->alpha);
  if (const auto* measured = std::get_if<MeasuredRouting>(&routing)) return measured->name;
  return "balanced";
}

std::string hash_of(const Routing& routing) {
  const auto* measured = std::get_if<MeasuredRouting>(&routing);
  return measured != nullptr ? measured->content_hash : "";
}

}  // namespace bta
