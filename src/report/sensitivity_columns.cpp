#include <fmt/format.h>

#include <array>

#include "report/sensitivity_parts.h"

namespace bta {
namespace {

using Effect = ParameterEffect;
using Side = std::optional<Replanned> Effect::*;

constexpr std::array<std::string_view, 4> scale_names = {"ratio", "share", "time", "whole"};  // as the enum

std::string written(const Effect& e) {
  if (!e.written.empty()) return e.written;
  return shortest_text(e.value) + std::string(e.parameter->unit);
}

template <class Member>
Cell of_step(const Effect& e, Member SmallStep::*member) {
  return e.step ? cell((*e.step).*member) : Cell();
}

template <Side side>
Cell value(const Effect& e) {
  return e.*side ? cell((e.*side)->value) : Cell();
}

template <Side side>
Cell change(const Effect& e) {
  return e.*side ? cell((e.*side)->change) : Cell();
}

template <Side side>
Cell fits(const Effect& e) {
  return e.*side ? cell((e.*side)->tiling.has_value()) : Cell();
}

template <Side side>
Cell tile_batch(const Effect& e) {
  return e.*side && (e.*side)->tiling ? cell((e.*side)->tiling->tile_batch) : Cell();
}

template <Side side>
Cell tiles(const Effect& e) {
  return e.*side && (e.*side)->tiling ? cell((e.*side)->tiling->tiles) : Cell();
}

constexpr Side less = &Effect::less, more = &Effect::more;

constexpr auto effect_columns = std::to_array<Column<Effect>>({
    {"parameter", "number", "", Look::text, [](const Effect& e) { return cell(e.parameter->key); }},
    {"written", "value", "", Look::text, [](const Effect& e) { return cell(written(e)); }},
    {"kind", "kind", "", Look::text, [](const Effect& e) { return text_or_absent(e.kind); }},
    {"value", "", "", Look::decimal, [](const Effect& e) { return cell(e.value); }},
    {"unit", "", "", Look::text, [](const Effect& e) { return text_or_absent(e.parameter->unit); }},
    {"scale", "", "", Look::text,
     [](const Effect& e) { return cell(scale_names.at(static_cast<std::size_t>(e.parameter->scale))); }},
    {"elasticity", "elasticity", "", Look::decimal, [](const Effect& e) { return cell(e.elasticity); }},
    {"step", "small\nstep", "", Look::text,
     [](const Effect& e) { return text_or_absent(small_step_words(e)); }},
    {"step_value", "", "", Look::decimal, [](const Effect& e) { return of_step(e, &SmallStep::value); }},
    {"step_change", "this\ntiling", "", Look::change,
     [](const Effect& e) { return of_step(e, &SmallStep::change); }},
    {"step_fits", "", "", Look::text, [](const Effect& e) { return of_step(e, &SmallStep::fits); }},
    {"replan_step", "large\nstep", "", Look::text,
     [](const Effect& e) { return cell(step_words(e, large_steps)); }},
    {"less_value", "", "", Look::decimal, value<less>},
    {"less_change", "best,\nless", "", Look::change, change<less>},
    {"less_fits", "", "", Look::text, fits<less>},
    {"less_tile_batch", "", "", Look::count, tile_batch<less>},
    {"less_tiles", "", "", Look::count, tiles<less>},
    {"more_value", "", "", Look::decimal, value<more>},
    {"more_change", "best,\nmore", "", Look::change, change<more>},
    {"more_fits", "", "", Look::text, fits<more>},
    {"more_tile_batch", "", "", Look::count, tile_batch<more>},
    {"more_tiles", "", "", Look::count, tiles<more>},
});

}  // namespace

std::span<const Column<ParameterEffect>> sensitivity_columns() {
  return effect_columns;
}

std::string step_words(const ParameterEffect& e, const StepSizes& steps) {
  switch (e.parameter->scale) {
    case ParameterScale::ratio:
      return fmt::format("{} %", 100 * steps.relative);
    case ParameterScale::whole:
    case ParameterScale::share:
      return fmt::format("{}", step_size(e.parameter->scale, e.value, steps));
    case ParameterScale::time:
      return fmt::format("{} ms", 1e3 * steps.time_s);
  }
  return "";
}

std::string small_step_words(const ParameterEffect& e) {
  if (!e.step) return "";
  return step_words(e, small_steps) + (e.step->value > e.value ? " more" : " less");
}

}  // namespace bta
