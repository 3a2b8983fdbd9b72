#include "input/hf_families.h"

#include <fmt/format.h>

#include <vector>

namespace bta {

std::span<const HfFamily> hf_families() {
  static const std::vector<HfFamily> all = [] {
    std::vector<HfFamily> rows;
    for (const auto part :
         {hf_dense_families(), hf_qwen_families(), hf_deepseek_families(), hf_moe_families()})
      rows.insert(rows.end(), part.begin(), part.end());
    return rows;
  }();
  return all;
}

std::string supported_hf_families() {
  std::string names;
  for (const HfFamily& family : hf_families())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", family.model_type);
  return names;
}

}  // namespace bta
