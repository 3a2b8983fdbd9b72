#include "mutation/mutants.h"

#include <optional>

#include "cost/term.h"

namespace bta::mutation {
namespace {

constexpr double factor = 1.03;
constexpr double factor_of_tail = 30;  // an integer is chosen by it: a small change need not choose another
constexpr std::int64_t more_tokens =
    1000;  // a rest of a chunk is padded to whole vectors: one more need not count
constexpr double instead_of_zero = 1e-6;
constexpr std::int64_t last_step = 5;

struct Switch {
  std::set<Mutant> reached;
  std::optional<Mutant> active;
};
Switch& state() {
  static Switch only;
  return only;
}

/// Is this the changed term? Without one, terms are noted.
bool is_active(std::string_view quantity, std::string_view subject, std::string_view part) {
  const std::optional<Mutant>& active = state().active;
  if (active) return quantity == active->quantity && subject == active->subject && part == active->part;
  state().reached.insert({std::string(quantity), std::string(subject), std::string(part)});
  return false;
}

}  // namespace

const std::set<Mutant>& reached() {
  return state().reached;
}

Active::Active(const Mutant& mutant) {
  state().active = mutant;
}

Active::~Active() {
  state().active.reset();
}

}  // namespace bta::mutation

std::int64_t bta::perturbed(std::string_view quantity, std::string_view subject, std::string_view part,
                            std::int64_t value) {
  if (!mutation::is_active(quantity, subject, part)) return value;
  const bool of_life = part == "first" || part == "last";
  if (of_life && value == mutation::last_step) return value - 1;
  return value + (part == "rest" ? mutation::more_tokens : 1);
}

double bta::perturbed(std::string_view quantity, std::string_view subject, std::string_view part,
                      double value) {
  if (!mutation::is_active(quantity, subject, part)) return value;
  if (value == 0) return mutation::instead_of_zero;
  return value * (part == "tail" ? mutation::factor_of_tail : mutation::factor);
}
