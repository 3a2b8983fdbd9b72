// The one name of each kind of q/k norm: in files, in JSON, and in words.
#pragma once

#include <array>
#include <string_view>

#include "model/model.h"

namespace bta {

constexpr std::array<QkNorm, 4> qk_norms = {QkNorm::none, QkNorm::per_head, QkNorm::projection, QkNorm::unit};

constexpr std::string_view qk_norm_name(QkNorm norm) {
  switch (norm) {
    case QkNorm::none:
      return "none";
    case QkNorm::per_head:
      return "per_head";
    case QkNorm::projection:
      return "projection";
    case QkNorm::unit:
      return "unit";
  }
  return "";
}

}  // namespace bta
