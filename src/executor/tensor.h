// A tensor on the wafer: a name and declared bytes in the arena, released when it goes out of scope, and a
// row-major matrix behind it when the run has data.
#pragma once

#include <Eigen/Core>
#include <cassert>
#include <limits>
#include <string_view>
#include <utility>

#include "executor/arena.h"

namespace bta::executor {

template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class Scalar>
using View = Eigen::Ref<Matrix<Scalar>>;
template <class Scalar>
using ConstView = Eigen::Ref<const Matrix<Scalar>>;

struct Shape {
  std::int64_t rows = 0, columns = 0;
  std::int64_t element_bytes = 0;  // declared; the arithmetic is Scalar's
};

template <class Scalar>
class Tensor {
 public:
  Tensor() = default;
  /// Not a number until it is written, so that nobody reads what was not. Without data only the arena knows
  /// it.
  Tensor(Arena& arena, std::string_view name, Shape shape, bool with_data)
      : arena_(&arena), elements_(product(shape.rows, shape.columns)) {
    const Bytes bytes(product(shape.rows, shape.columns, shape.element_bytes));
    handle_ = arena.allocate(name, bytes);
    if (with_data) data.setConstant(shape.rows, shape.columns, std::numeric_limits<Scalar>::quiet_NaN());
  }
  Tensor(Tensor&& other) noexcept
      : data(std::move(other.data)),
        arena_(std::exchange(other.arena_, nullptr)),
        handle_(other.handle_),
        elements_(other.elements_) {}
  Tensor& operator=(Tensor&& other) noexcept {
    release();
    data = std::move(other.data);
    arena_ = std::exchange(other.arena_, nullptr);
    handle_ = other.handle_;
    elements_ = other.elements_;
    return *this;
  }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  ~Tensor() { release(); }

  void release() {
    assert(arena_ == nullptr || data.size() == 0 || data.size() == elements_);  // as declared
    if (arena_ != nullptr) std::exchange(arena_, nullptr)->release(handle_);
    data.resize(0, 0);
  }
  void rename(std::string_view name) { arena_->rename(handle_, name); }

  /// Rows first .. first+count-1; of a run with data only.
  auto rows(std::int64_t first, std::int64_t count) { return data.middleRows(first, count); }
  auto rows(std::int64_t first, std::int64_t count) const { return data.middleRows(first, count); }

  Matrix<Scalar> data;

 private:
  Arena* arena_ = nullptr;
  Arena::Handle handle_ = 0;
  std::int64_t elements_ = 0;
};

}  // namespace bta::executor
