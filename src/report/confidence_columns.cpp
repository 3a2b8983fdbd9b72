#include <fmt/format.h>

#include "report/plan_columns.h"

namespace bta {
namespace {

using Line = const PlanLine&;
using Optional = std::optional<Interval>;

Cell low(const Optional& interval) {
  return interval ? cell(interval->low) : Cell();
}

Cell high(const Optional& interval) {
  return interval ? cell(interval->high) : Cell();
}

/// The interval of a row, absent where the row has none.
template <auto member>
Optional of(Line l) {
  if (!l.row->confidence) return std::nullopt;
  return Optional((*l.row->confidence).*member);
}

/// "48,000 to 53,000" in the look of the column.
Cell range(const Optional& interval, Look look) {
  if (!interval) return {};
  return Cell(
      fmt::format("{} to {}", for_people(Cell(interval->low), look), for_people(Cell(interval->high), look)));
}

Cell rival(Line l) {
  if (!l.row->confidence || !l.row->confidence->rival) return {};
  const Tiling tiling = *l.row->confidence->rival;
  return Cell(fmt::format("{}x{}", tiling.tile_batch, tiling.tiles));
}

Cell confidence_of(Line l) {
  return l.plan->confidence ? cell(l.plan->confidence->confidence) : Cell();
}

Cell flips(Line l) {
  return l.row->confidence ? cell(l.row->confidence->flips) : Cell();
}

using R = RowConfidence;
constexpr auto machine = std::to_array<Column<PlanLine>>({
    {"confidence", "", "", Look::decimal, confidence_of},
    {"tokens_per_s_low", "", "", Look::count, [](Line l) { return low(of<&R::tokens_per_s>(l)); }},
    {"tokens_per_s_high", "", "", Look::count, [](Line l) { return high(of<&R::tokens_per_s>(l)); }},
    {"uniform_tokens_per_s_low", "", "", Look::count,
     [](Line l) { return low(of<&R::uniform_tokens_per_s>(l)); }},
    {"uniform_tokens_per_s_high", "", "", Look::count,
     [](Line l) { return high(of<&R::uniform_tokens_per_s>(l)); }},
    {"speedup_low", "", "", Look::factor, [](Line l) { return low(of<&R::speedup>(l)); }},
    {"speedup_high", "", "", Look::factor, [](Line l) { return high(of<&R::speedup>(l)); }},
    {"dense_tokens_per_s_low", "", "", Look::count,
     [](Line l) { return low(of<&R::dense_tokens_per_s>(l)); }},
    {"dense_tokens_per_s_high", "", "", Look::count,
     [](Line l) { return high(of<&R::dense_tokens_per_s>(l)); }},
    {"loss_uniform_low", "", "", Look::percent, [](Line l) { return low(of<&R::loss_uniform>(l)); }},
    {"loss_uniform_high", "", "", Look::percent, [](Line l) { return high(of<&R::loss_uniform>(l)); }},
    {"loss_bta_low", "", "", Look::percent, [](Line l) { return low(of<&R::loss_bta>(l)); }},
    {"loss_bta_high", "", "", Look::percent, [](Line l) { return high(of<&R::loss_bta>(l)); }},
    {"flip_share", "", "", Look::percent, flips},
    {"flip_tiling", "", "", Look::text, rival},
});

constexpr auto people = std::to_array<Column<PlanLine>>({
    {"", "E", "", Look::count, [](Line l) { return l.row->level ? cell(l.row->level->experts) : Cell(); }},
    {"", "k", "", Look::count, [](Line l) { return l.row->level ? cell(l.row->level->top_k) : Cell(); }},
    {"", "tokens/s", "", Look::text, [](Line l) { return range(of<&R::tokens_per_s>(l), Look::count); }},
    {"", "uniform", "tokens/s", Look::text,
     [](Line l) { return range(of<&R::uniform_tokens_per_s>(l), Look::count); }},
    {"", "speedup", "", Look::text, [](Line l) { return range(of<&R::speedup>(l), Look::factor); }},
    {"", "loss", "unif.", Look::text, [](Line l) { return range(of<&R::loss_uniform>(l), Look::percent); }},
    {"", "loss", "BTA", Look::text, [](Line l) { return range(of<&R::loss_bta>(l), Look::percent); }},
    {"", "flips", "", Look::percent, flips},
    {"", "to", "BxG", Look::text, rival},
});

}  // namespace

std::span<const Column<PlanLine>> confidence_columns() {
  return machine;
}

std::span<const Column<PlanLine>> people_confidence_columns() {
  return people;
}

}  // namespace bta
