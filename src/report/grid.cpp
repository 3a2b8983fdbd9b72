#include "report/grid.h"

namespace bta {

std::string heading_with_unit(std::string_view heading, std::string_view unit) {
  std::string text(heading);
  if (!unit.empty()) text += "\n" + std::string(unit);
  return text;
}

}  // namespace bta
