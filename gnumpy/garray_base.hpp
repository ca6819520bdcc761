// The common base of garray and garray_view: everything that reads elements or returns new values.
// Included by garray.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <ostream>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cudamat/op_table.hpp"
#include "gnumpy/index.hpp"
#include "gnumpy/node.hpp"
#include "npmat/array.hpp"

namespace gnumpy {

using Where = std::source_location;

enum class Distribution : std::uint8_t { uniform, normal };

// The lists of functions begin with rows of the op table, so that ROW(name, ...) has more arguments
// than the name.

// Element-wise functions of one array, which are methods, too (functions.hpp documents them).
#define GNUMPY_UNARY_FUNCTIONS(ROW) \
  CUDAMAT_UNARY_OPS(ROW)            \
  ROW(logistic) ROW(square) ROW(negative) ROW(isreal) ROW(isnumber) ROW(as_bool)

// Functions of two arrays, or of an array and a number.
#define GNUMPY_BINARY_METHODS(ROW) \
  CUDAMAT_BINARY_FUNCTION_OPS(ROW) ROW(pow) ROW(dot) ROW(matmul) ROW(outer)

// Reductions over axes, which may be kept with extent 1.
#define GNUMPY_REDUCTIONS(ROW) CUDAMAT_FOLD_OPS(ROW) CUDAMAT_TRUTH_OPS(ROW) ROW(all2) ROW(any2)
// Over one axis.
#define GNUMPY_POSITIONS(ROW) CUDAMAT_ARG_OPS(ROW)
// Over axes, with a correction of the degrees of freedom (ddof).
#define GNUMPY_MOMENTS(ROW) ROW(var) ROW(std)

class garray_base {
 public:
  // ---- properties ----

  [[nodiscard]] const Shape& shape() const { return node_->dims; }
  /// shape()[axis]; negative axes count from the end.
  [[nodiscard]] Index shape(int axis, Where where = Where::current()) const;
  [[nodiscard]] Index size() const { return node_->size; }
  [[nodiscard]] int ndim() const { return node_->ndim(); }
  [[nodiscard]] std::int64_t nbytes() const;
  /// nbytes() in units of 2^20.
  [[nodiscard]] double nMBytes() const { return static_cast<double>(nbytes()) / (1 << 20); }
  /// shape()[0]; throws for a 0-d array.
  [[nodiscard]] Index len(Where where = Where::current()) const;
  /// auto [rows, cols] = a.extents<2>(); throws for another number of dimensions.
  template <std::size_t N>
  [[nodiscard]] std::array<Index, N> extents(Where where = Where::current()) const {
    check_ndim(static_cast<int>(N), where);
    std::array<Index, N> result{};
    std::copy(shape().begin(), shape().end(), result.begin());
    return result;
  }

  // ---- reading: these wait for the engine ----

  /// All elements, in C order.
  template <std::floating_point Number = double>
  [[nodiscard]] std::vector<Number> to_vector() const;
  template <std::floating_point Number = double>
  [[nodiscard]] npmat::Array<Number> as_numpy_array() const {
    return {shape(), to_vector<Number>()};
  }
  template <std::floating_point Number = double>
  [[nodiscard]] npmat::Array<Number> asarray() const {
    return as_numpy_array<Number>();
  }
  template <std::floating_point Number>
  [[nodiscard]] npmat::Array<Number> astype() const {
    return as_numpy_array<Number>();
  }
  /// The only element.
  [[nodiscard]] double item(Where where = Where::current()) const;
  // Conversions have no line of the program; their errors name the line that made the array.
  /// For an integer type, the number truncated toward zero, as with Python's int(); throws if it
  /// does not fit.
  template <class N>
  requires(std::is_arithmetic_v<N> && !std::same_as<N, bool>) explicit operator N() const {
    if constexpr (std::integral<N>)
      return static_cast<N>(whole(std::numeric_limits<N>::digits, std::is_signed_v<N>));
    else
      return static_cast<N>(only("float", node_->where));
  }
  /// Whether the only element is not 0, as in Python; throws for arrays of several elements.
  explicit operator bool() const { return only("bool", node_->where) != 0; }
  /// Whether shape and elements are equal; NaN equals nothing.
  [[nodiscard]] bool eq2(const garray_base& other, Where where = Where::current()) const;
  /// Whether no element is NaN or infinite.
  [[nodiscard]] bool all_real(Where where = Where::current()) const;
  /// The indices, along each axis, of the elements that are not 0, in C order.
  [[nodiscard]] std::vector<garray> nonzero(Where where = Where::current()) const;
  [[nodiscard]] std::vector<garray> where(Where place = Where::current()) const;
  /// The text that NumPy prints.
  [[nodiscard]] std::string str() const;
  friend std::ostream& operator<<(std::ostream& out, const garray_base& a) {
    return out << a.str();
  }

  // ---- other shapes and orders: new values ----

  [[nodiscard]] garray T(Where where = Where::current()) const&;
  [[nodiscard]] garray T(Where where = Where::current()) &&;
  /// Axis k of the result is axis axes[k].
  [[nodiscard]] garray transpose(std::vector<int> axes, Where where = Where::current()) const;
  [[nodiscard]] garray transpose(Where where = Where::current()) const;
  [[nodiscard]] garray transpose_simple(std::vector<int> axes,
                                        Where where = Where::current()) const;
  [[nodiscard]] garray swapaxes(int first, int second, Where where = Where::current()) const;
  /// Axis source[k] becomes axis destination[k]; the others keep their order.
  [[nodiscard]] garray moveaxis(const Axes& source, const Axes& destination,
                                Where where = Where::current()) const;
  /// Repeated shape[k] times along axis k.
  [[nodiscard]] garray tile(Shape reps, Where where = Where::current()) const;
  /// A square matrix with the elements on a diagonal; a diagonal, of two axes; whichever fits; the
  /// sums of diagonals.
  [[nodiscard]] garray diagflat(Index offset = 0, Where where = Where::current()) const;
  [[nodiscard]] garray diagonal(Index offset = 0, int axis1 = 0, int axis2 = 1,
                                Where where = Where::current()) const;
  [[nodiscard]] garray diag(Index offset = 0, Where where = Where::current()) const;
  [[nodiscard]] garray trace(Index offset = 0, int axis1 = 0, int axis2 = 1,
                             Where where = Where::current()) const;
  [[nodiscard]] garray copy(Where where = Where::current()) const;
  /// A 1-D copy.
  [[nodiscard]] garray flatten(Where where = Where::current()) const;
  /// The elements at these indices along the axis, or of all elements in C order; indices as in a
  /// subscript, but of any shape.
  [[nodiscard]] garray take(const garray_base& indices, Axis axis = {},
                            Where where = Where::current()) const;
  [[nodiscard]] garray take(const std::vector<Index>& indices, Axis axis = {},
                            Where where = Where::current()) const;
  [[nodiscard]] garray take(std::initializer_list<Index> indices, Axis axis = {},
                            Where where = Where::current()) const;

  // ---- functions as methods ----

#define GNUMPY_METHOD(name, ...)                                    \
  [[nodiscard]] garray name(Where where = Where::current()) const&; \
  [[nodiscard]] garray name(Where where = Where::current())&&;
  GNUMPY_UNARY_FUNCTIONS(GNUMPY_METHOD)
#undef GNUMPY_METHOD
#define GNUMPY_METHOD(name, ...)                                       \
  [[nodiscard]] garray name(const Axes& axis = {}, Keepdims keep = {}, \
                            Where where = Where::current()) const&;    \
  [[nodiscard]] garray name(const Axes& axis = {}, Keepdims keep = {}, \
                            Where where = Where::current())&&;
  GNUMPY_REDUCTIONS(GNUMPY_METHOD)
#undef GNUMPY_METHOD
#define GNUMPY_METHOD(name, ...)                                                                \
  [[nodiscard]] garray name(Axis axis = {}, Keepdims keep = {}, Where where = Where::current()) \
      const&;                                                                                   \
  [[nodiscard]] garray name(Axis axis = {}, Keepdims keep = {}, Where where = Where::current())&&;
  GNUMPY_POSITIONS(GNUMPY_METHOD)
#undef GNUMPY_METHOD
#define GNUMPY_METHOD(name, ...)                                                        \
  [[nodiscard]] garray name(const Axes& axis = {}, Keepdims keep = {}, double ddof = 0, \
                            Where where = Where::current()) const;
  GNUMPY_MOMENTS(GNUMPY_METHOD)
#undef GNUMPY_METHOD
  [[nodiscard]] garray cumsum(Axis axis = {}, Where where = Where::current()) const;
  [[nodiscard]] garray argsort(Axis axis = -1, Where where = Where::current()) const;
#define GNUMPY_METHOD(name, ...)                                               \
  [[nodiscard]] garray name(operand b, Where where = Where::current()) const&; \
  [[nodiscard]] garray name(operand b, Where where = Where::current())&&;
  GNUMPY_BINARY_METHODS(GNUMPY_METHOD)
#undef GNUMPY_METHOD
  [[nodiscard]] garray tensordot(operand b, int axes = 2, Where where = Where::current()) const;
  [[nodiscard]] garray clip(const std::optional<operand>& low, const std::optional<operand>& high,
                            Where where = Where::current()) const;
  [[nodiscard]] garray round(int decimals = 0, Where where = Where::current()) const;
  /// New random numbers of the same shape: uniform on (0, 1], or standard normal.
  [[nodiscard]] garray rand(Distribution distribution = Distribution::uniform,
                            Where where = Where::current()) const;
  /// The square root of the sum of squares. Waits for the engine.
  [[nodiscard]] double euclid_norm(Where where = Where::current()) const;

  /// The node of the value; a pending expression stays pending.
  [[nodiscard]] const detail::NodePtr& node() const {
    return node_;
  }
  [[nodiscard]] detail::NodePtr release() && {
    return std::exchange(node_, detail::nothing());
  }

 protected:
  garray_base() = default;
  explicit garray_base(detail::NodePtr node) : node_(std::move(node)) {}
  garray_base(const garray_base&) = default;
  garray_base(garray_base&&) = default;
  garray_base& operator=(const garray_base&) = default;
  garray_base& operator=(garray_base&&) = default;
  ~garray_base() = default;

  void check_ndim(int ndim, const Where& where) const;
  /// The element of an array of one element.
  [[nodiscard]] double only(std::string_view what, const Where& where) const;
  /// The only element, truncated toward zero, which must fit this number of bits.
  [[nodiscard]] double whole(int bits, bool is_signed) const;
  /// A value: a copy, made when one of the two is written to.
  [[nodiscard]] garray value(const Where& where) const;

  detail::NodePtr node_;
};

}  // namespace gnumpy
