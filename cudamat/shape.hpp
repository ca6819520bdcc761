// Shapes of matrices, and the matrix on the host.
#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "cudamat/engine.hpp"
#include "cudamat/error.hpp"

namespace cudamat {

/// rows x cols. Extents may be 0; check_extents raises an error for negative ones.
struct Shape {
  Index rows = 0;
  Index cols = 0;

  [[nodiscard]] constexpr Index size() const { return rows * cols; }
  [[nodiscard]] constexpr Shape transposed() const { return {cols, rows}; }
  friend constexpr bool operator==(const Shape&, const Shape&) = default;
};

/// Throws unless the extents are not negative and their product fits 64 bits.
inline void check_extents(std::string_view op, Shape shape) {
  Index size = 0;
  if (shape.rows < 0 || shape.cols < 0)
    misuse(Reason::Shape, op, "a shape cannot be negative; got {}x{}", shape.rows, shape.cols);
  if (__builtin_mul_overflow(shape.rows, shape.cols, &size))
    misuse(Reason::Shape, op, "a matrix of {}x{} has more than 2^63 elements", shape.rows,
           shape.cols);
}

/// A matrix on the host: column-major (Fortran order), as Cudamat keeps its `numpy_array`.
template <class T>
class HostMatrix {
 public:
  HostMatrix() = default;
  explicit HostMatrix(Shape shape, T value = T()) : shape_(shape) {
    check_extents("reformat", shape);
    data_.assign(static_cast<std::size_t>(shape.size()), value);
  }
  /// Rows of equal length, as one writes a matrix: {{1, 2, 3}, {4, 5, 6}}.
  HostMatrix(std::initializer_list<std::initializer_list<T>> rows)
      : HostMatrix(
            Shape{std::ssize(rows), rows.size() == 0 ? 0 : Index(std::ssize(*rows.begin()))}) {
    Index i = 0;
    for (const auto& row : rows) {
      if (std::ssize(row) != shape_.cols)
        misuse(Reason::Shape, "reformat", "row {} has {} elements, row 0 has {}", i, row.size(),
               shape_.cols);
      Index j = 0;
      for (const T& value : row) (*this)(i, j++) = value;
      ++i;
    }
  }

  [[nodiscard]] Shape shape() const { return shape_; }
  [[nodiscard]] T* data() { return data_.data(); }
  [[nodiscard]] const T* data() const { return data_.data(); }
  [[nodiscard]] std::span<const T> values() const { return data_; }

  T& operator()(Index i, Index j) { return data_[static_cast<std::size_t>(i + shape_.rows * j)]; }
  const T& operator()(Index i, Index j) const {
    return data_[static_cast<std::size_t>(i + shape_.rows * j)];
  }
  friend bool operator==(const HostMatrix&, const HostMatrix&) = default;

 private:
  Shape shape_;
  std::vector<T> data_;
};

/// Row-major data (NumPy's C order) of any arithmetic type as a column-major host matrix of T.
template <class T, class U>
HostMatrix<T> reformat(std::span<const U> row_major, Shape shape) {
  HostMatrix<T> result(shape);
  if (std::ssize(row_major) != shape.size())
    misuse(Reason::Shape, "reformat", "{}x{} has {} elements; got {}", shape.rows, shape.cols,
           shape.size(), row_major.size());
  for (Index i = 0; i < shape.rows; ++i)
    for (Index j = 0; j < shape.cols; ++j)
      result(i, j) = static_cast<T>(row_major[static_cast<std::size_t>(i * shape.cols + j)]);
  return result;
}

}  // namespace cudamat

namespace fmt {
template <>
struct formatter<cudamat::Shape> {
  constexpr auto parse(format_parse_context& context) { return context.begin(); }
  // Not fmt::format_to, of which every translation unit would compile the whole of fmt.
  template <class Context>
  auto format(cudamat::Shape shape, Context& context) const {
    return std::ranges::copy(fmt::format("{}x{}", shape.rows, shape.cols), context.out()).out;
  }
};
}  // namespace fmt
