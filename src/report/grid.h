// One list of columns per record; every writer reads the same list. A column has the machine formats'
// name (its unit is the suffix: _s, _bytes, _flops, _per_s), the heading for people with its unit, the
// look of its numbers, and the function that takes the cell from a row.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/cell.h"
#include "report/people.h"

namespace bta {

template <class Row>
struct Column {
  std::string_view name;     // machine formats
  std::string_view heading;  // for people, may be two lines; empty: machine formats only
  std::string_view unit;     // for people, below the heading
  Look look = Look::text;
  Cell (*cell)(const Row&) = nullptr;
};

/// For machines: every column, cells as values.
struct Grid {
  std::vector<std::string> names;
  std::vector<std::vector<Cell>> rows;
};

/// For people: the columns with a heading that hold anything, cells as text.
struct TextGrid {
  struct Head {
    std::string heading;  // may hold one line break
    bool left = false;    // left-aligned
  };
  std::vector<Head> heads;
  std::vector<std::vector<std::string>> rows;
};

template <class Row>
Grid machine_grid(std::span<const Column<Row>> columns, const std::vector<Row>& records) {
  Grid grid;
  for (const Column<Row>& column : columns) grid.names.emplace_back(column.name);
  for (const Row& record : records) {
    std::vector<Cell>& cells = grid.rows.emplace_back();
    for (const Column<Row>& column : columns) cells.push_back(column.cell(record));
  }
  return grid;
}

/// "heading" or "heading\nunit".
std::string heading_with_unit(std::string_view heading, std::string_view unit);

template <class Row>
bool holds_anything(const Column<Row>& column, const std::vector<Row>& records) {
  for (const Row& record : records)
    if (!is_absent(column.cell(record))) return true;
  return records.empty();
}

template <class Row>
TextGrid text_grid(std::span<const Column<Row>> columns, const std::vector<Row>& records) {
  TextGrid grid;
  grid.rows.resize(records.size());
  for (const Column<Row>& column : columns) {
    if (column.heading.empty() || !holds_anything(column, records)) continue;
    grid.heads.push_back({heading_with_unit(column.heading, column.unit), column.look == Look::text});
    for (std::size_t i = 0; i < records.size(); ++i)
      grid.rows[i].push_back(for_people(column.cell(records[i]), column.look));
  }
  return grid;
}

}  // namespace bta
