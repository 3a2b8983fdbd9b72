// The columns of a check, for machines and for people.
#pragma once

#include <span>
#include <string>

#include "report/grid.h"
#include "verify/check.h"

namespace bta {

/// Every column under its machine name: CSV and JSON.
std::span<const Column<verify::Check>> check_columns();

/// Of those the narrow ones: status, claim, compared, deviation, tolerance with its measure. What was run
/// stands above its rows.
std::span<const Column<verify::Check>> people_check_columns();

/// People's columns, and what was run.
std::span<const Column<verify::Check>> markdown_check_columns();

/// Where a check that does not hold deviates most, and how many of its values do.
std::string failure_text(const verify::Check& check);

}  // namespace bta
