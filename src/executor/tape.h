// Reverse-mode automatic differentiation: a Var is a double that remembers its place on a Wengert tape, the
// list of elementary operations with their local derivatives. adjoints() walks the list backwards by the
// chain rule. A Var without a tape is a constant; the Vars of one computation share one tape.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace bta::executor {

class Tape;

struct Var {
  double value = 0;
  Tape* tape = nullptr;
  std::size_t node = 0;  // on the tape, if there is one

  Var() = default;
  Var(double constant) : value(constant) {}
  Var(double result, Tape* where, std::size_t index) : value(result), tape(where), node(index) {}
};

class Tape {
 public:
  Tape() = default;
  Tape(const Tape&) = delete;  // Vars point to it
  Tape(Tape&&) = delete;
  Tape& operator=(const Tape&) = delete;
  Tape& operator=(Tape&&) = delete;
  ~Tape() = default;

  Var input(double value) { return push(value, {}); }

  /// The result `value` of an operation on `x` and `y`, of which at least one is on this tape, with the
  /// derivatives of the result by each.
  Var record(double value, const Var& x, double by_x, const Var& y, double by_y) {
    return push(value, {{parent(x), parent(y)}, {by_x, by_y}});
  }

  /// The derivative of `output` by every node.
  std::vector<double> adjoints(const Var& output) const {
    std::vector<double> result(nodes_.size(), 0.0);
    if (output.tape == this) result[output.node] = 1;
    for (std::size_t n = nodes_.size(); n-- > 0;) {
      for (std::size_t i = 0; i < 2; ++i) {
        if (nodes_[n].parents[i] != none) result[nodes_[n].parents[i]] += nodes_[n].slopes[i] * result[n];
      }
    }
    return result;
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  struct Node {
    std::array<std::size_t, 2> parents = {none, none};
    std::array<double, 2> slopes = {0, 0};
  };

  static std::size_t parent(const Var& x) { return x.tape == nullptr ? none : x.node; }
  Var push(double value, const Node& node) {
    nodes_.push_back(node);
    return {value, this, nodes_.size() - 1};
  }

  std::vector<Node> nodes_;
};

inline Var recorded(double value, const Var& x, double by_x, const Var& y = {}, double by_y = 0) {
  Tape* const tape = x.tape != nullptr ? x.tape : y.tape;
  return tape == nullptr ? Var(value) : tape->record(value, x, by_x, y, by_y);
}

inline Var operator+(const Var& x, const Var& y) {
  return recorded(x.value + y.value, x, 1, y, 1);
}
inline Var operator-(const Var& x, const Var& y) {
  return recorded(x.value - y.value, x, 1, y, -1);
}
inline Var operator-(const Var& x) {
  return recorded(-x.value, x, -1);
}
inline Var operator*(const Var& x, const Var& y) {
  return recorded(x.value * y.value, x, y.value, y, x.value);
}
inline Var operator/(const Var& x, const Var& y) {
  const double quotient = x.value / y.value;
  return recorded(quotient, x, 1 / y.value, y, -quotient / y.value);
}
inline Var& operator+=(Var& x, const Var& y) {
  return x = x + y;
}
inline Var exp(const Var& x) {
  const double result = std::exp(x.value);
  return recorded(result, x, result);
}
inline Var log(const Var& x) {
  return recorded(std::log(x.value), x, 1 / x.value);
}
inline Var sqrt(const Var& x) {
  const double root = std::sqrt(x.value);
  return recorded(root, x, 0.5 / root);
}

inline double value_of(double x) {
  return x;
}
inline double value_of(const Var& x) {
  return x.value;
}

}  // namespace bta::executor
