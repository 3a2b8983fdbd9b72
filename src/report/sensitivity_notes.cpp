#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/context.h"
#include "report/sensitivity_parts.h"

namespace bta {
namespace {

using Effect = ParameterEffect;

std::string change_words(double change) {
  if (change == -1) return "leaves nothing that fits";
  if (change == 0) return "changes nothing";
  std::string size = change_text(std::abs(change)).substr(1);  // without the sign
  return fmt::format("gives {} {} tokens/s", size, change > 0 ? "more" : "fewer");
}

void add_side(std::string& text, const Effect& e, const std::optional<Replanned>& side,
              std::string_view word) {
  if (!side || !side->change) return;
  text += fmt::format("{}{} {} {}", text.empty() ? "planned again, " : ", ", step_words(e, large_steps), word,
                      change_words(*side->change));
}

/// "efficiency.gemm (calibrated): 1 % more gives 0.4 % more tokens/s at this tiling; planned again, ..."
std::string in_words(const Effect& e) {
  std::string planned;
  add_side(planned, e, e.less, "less");
  add_side(planned, e, e.more, "more");
  std::string text = std::string(e.parameter->key);
  if (!e.kind.empty()) text += fmt::format(" ({})", e.kind);
  if (e.step)
    text += fmt::format(": {} {} at this tiling", small_step_words(e), change_words(e.step->change));
  if (!planned.empty()) text += (e.step ? "; " : ": ") + planned;
  return text;
}

double gain(const Effect& e) {
  const auto of = [](const std::optional<Replanned>& side) { return side ? side->change.value_or(0) : 0; };
  return comparable(e) * std::max(of(e.less), of(e.more));
}

template <class Holds>
void add_list(std::vector<std::string>& notes, const Sensitivity& s, std::string_view title, Holds holds) {
  std::string keys;
  for (const Effect& e : s.effects)
    if (holds(e)) keys += fmt::format("{}{}", keys.empty() ? "" : ", ", e.parameter->key);
  if (!keys.empty()) notes.push_back(fmt::format("{}: {}", title, keys));
}

bool is_short(const Effect& e, const std::optional<Replanned>& side) {
  const double whole = step_size(e.parameter->scale, e.value, large_steps);
  const bool at_end = side && (side->value <= e.parameter->least || side->value >= e.parameter->most);
  return at_end && std::abs(side->value - e.value) < whole * (1 - 1e-9);
}

void add_next(std::vector<std::string>& notes, const Sensitivity& s) {
  const Effect *const improve = to_improve(s), *const measure = to_measure(s);
  if (improve && improve == measure) {
    notes.push_back("to improve and to measure next: " + in_words(*improve));
    return;
  }
  if (improve) notes.push_back("to improve next: " + in_words(*improve));
  if (measure) notes.push_back("to measure next: " + in_words(*measure));
}

}  // namespace

const ParameterEffect* to_improve(const Sensitivity& s) {
  const auto most = std::ranges::max_element(s.effects, {}, gain);
  return most == s.effects.end() || gain(*most) <= 0 ? nullptr : &*most;
}

const ParameterEffect* to_measure(const Sensitivity& s) {
  const auto first = std::ranges::find_if(s.effects, [](const Effect& e) {
    return is_assumption({"", "", e.kind, ""}) && has_effect(e);
  });
  return first == s.effects.end() ? nullptr : &*first;
}

std::vector<std::string> sensitivity_notes(const Sensitivity& s) {
  std::vector<std::string> notes;
  if (!s.reason.empty()) notes.push_back("this point is infeasible: " + s.reason);
  add_next(notes, s);
  if (s.reason.empty())
    add_list(notes, s, "after its small step the tiling no longer fits",
             [](const Effect& e) { return e.step && !e.step->fits; });
  if (!s.best)
    add_list(notes, s, "a tiling fits after the large step of",
             [](const Effect& e) { return (e.less && e.less->tiling) || (e.more && e.more->tiling); });
  add_list(notes, s, "large step cut short by the range",
           [](const Effect& e) { return has_effect(e) && (is_short(e, e.less) || is_short(e, e.more)); });
  add_list(notes, s, "without effect here", [](const Effect& e) { return !has_effect(e); });
  notes.emplace_back(
      "elasticity: percent of tokens/s per percent of the number, at this tiling; best: of all tilings, "
      "after the "
      "large step; sorted by the larger of the two, steps above 10 % in proportion");
  return notes;
}

}  // namespace bta
