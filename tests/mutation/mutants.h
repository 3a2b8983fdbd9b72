// The switch behind cost/term.h: notes every term that is reached, and changes one of them at a time.
#pragma once

#include <set>
#include <string>

namespace bta::mutation {

/// One term of one formula: a quantity, what it is of, which part.
struct Mutant {
  std::string quantity, subject, part;
  auto operator<=>(const Mutant&) const = default;
  std::string name() const { return quantity + " | " + subject + " | " + part; }
};

/// The terms reached so far.
const std::set<Mutant>& reached();

/// While it lives, the term is one more (counts) or 3 % more (times, probabilities).
class Active {
 public:
  explicit Active(const Mutant& mutant);
  Active(const Active&) = delete;
  Active& operator=(const Active&) = delete;
  ~Active();
};

}  // namespace bta::mutation
