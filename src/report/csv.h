// CSV after RFC 4180: a header, lines end with CR LF, cells with a comma, quote or line break stand in
// quotes, quotes are doubled. Text cells that a spreadsheet would take for a formula (they begin with
// = + - @ tab CR or LF) get a leading apostrophe; numbers are never touched.
#pragma once

#include <string>

#include "report/grid.h"

namespace bta {

std::string write_csv(const Grid& grid);

}  // namespace bta
