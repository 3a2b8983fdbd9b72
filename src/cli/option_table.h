// Every option once: its names, its default, its unit and what it means. Parsing, --help and the table
// in docs/cli.md all follow this list. Defaults are taken from the structs they fill.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bta::cli {

enum class Group : std::uint8_t {
  inputs,
  workload,
  levels,
  constraints,
  point,
  verification,
  calibration,
  confidence,
  description,
  output,
  about
};

struct OptionRow {
  std::string flags;     // "-B,--tile-batch": the long name last
  std::string value;     // what follows it, e.g. "N"; empty for a switch
  std::string fallback;  // the default
  std::string unit;      // of the value; empty when it has none
  std::string meaning;
  Group group = Group::inputs;
  bool repeats = false;
};

std::vector<OptionRow> option_table();

/// The rows of these groups, in the groups' order.
std::vector<OptionRow> options_of(const std::vector<Group>& groups);

std::string_view group_title(Group group);

/// "--tile-batch"
std::string long_name(const OptionRow& row);

}  // namespace bta::cli
