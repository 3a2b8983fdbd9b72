// The parts that the writers of one point share; not for other rooms.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/explain.h"
#include "report/grid.h"
#include "report/json.h"

namespace bta {

/// A label and what stands beside it, for people.
using Fact = std::pair<std::string, std::string>;

/// A part of the page for people: facts, then a table, either may be empty.
struct Section {
  std::string title;
  std::vector<Fact> facts;
  TextGrid table;
};

/// The point, its time by phase, operators, memory at the peak, rows and ridge, model.
std::vector<Section> explanation_sections(const Explanation& explanation);
std::string explanation_heading(const Explanation& explanation);
std::vector<std::string> explanation_notes(const Explanation& explanation);

/// Sections as aligned text.
std::string write_sections(const std::vector<Section>& sections);

/// The keys that describe one point, without the parts that all documents share.
Json explanation_json(const Explanation& explanation);

/// Tokens of one micro-batch.
std::int64_t tokens_of(const Explanation& explanation);

}  // namespace bta
