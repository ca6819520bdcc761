// garray: NumPy's arrays on a GPU or a CPU, with values and expressions as one writes them.
//
//   namespace gpu = gnumpy;
//   auto w_vh = 0.1 * gpu::randn(num_vis, num_hid);
//   auto h1 = (gpu::dot(v1, w_vh) + w_h).logistic();
//   auto hSampled = h1.rand() < h1;
//   w_vh += wu_vh * (epsilon / batch_size);
//
// Values    A garray is a value: `b = a` is a copy (made when one of the two is written to), and
//           assigning to `a` gives it another value. Elements are floating-point numbers of the
//           engine's type; truth values are 1 and 0.
// Aliases   As in gnumpy, reshape(), ravel() and ranges of the first axis (`a[slice(0, 10)]`,
//           `a[3]`) share memory with their array: writing to one changes the other. All other
//           subscripts, and every transpose, are copies. Writing to a subscript,
//           `a(all, 3) = 0.0` or `a[slice(0, 2)] += b`, writes to the array itself.
// When      An expression is computed when it is assigned, read or used in another statement; until
//           then it is an expression, and what it reads is not changed under it. It is computed
//           once, by the statements that the rewriter makes of it (explain()), with the passes that
//           keep every bit. Temporaries in it are written over; a transposed factor of a product
//           is a flag.
// Shapes    Any number of dimensions up to NumPy's 32, extents may be 0, NumPy's broadcasting.
// Numbers   What reduces to one number is 0-d; item() reads it.
// Errors    CUDAMatException with the operation, the shapes and the line of the program.
// OutOfMemory
//           has what was asked, in use and allowed, and the lines that hold most; every garray is
//           as it was before.
// Threads   Different threads may use different garrays; one of them computes at a time. As soon as
//           a second one has used garrays, copies are made at once. Arrays that share memory, an
//           array and a row of it, are for one thread.
// Waiting   On a GPU only reading on the host waits.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <ostream>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gnumpy/axes.hpp"
#include "gnumpy/index.hpp"
#include "gnumpy/node.hpp"
#include "npmat/npy.hpp"

namespace gnumpy {

using Dims = rewriter::Dims;
using Where = std::source_location;

class operand;

/// Whether a type is a garray.
template <class A>
inline constexpr bool is_garray = std::is_same_v<std::remove_cvref_t<A>, garray>;

/// Extents: a number for a 1-D array, {2, 3} for more.
class Shape {
 public:
  Shape(Index extent) : dims{extent} {}                           // NOLINT
  Shape(std::initializer_list<Index> extents) : dims(extents) {}  // NOLINT
  Shape(Dims extents) : dims(std::move(extents)) {}               // NOLINT
  Dims dims;
};

/// A number of a list in braces.
struct Element {
  template <class N>
  requires std::is_arithmetic_v<N> Element(N n)  // NOLINT(google-explicit-constructor)
      : number(static_cast<double>(n)) {}
  double number;
};

enum class Distribution : std::uint8_t { uniform, normal };

class garray {
 public:
  /// Without elements: shape (0,).
  garray(Where where = Where::current());  // NOLINT(google-explicit-constructor)
  /// 0-d.
  explicit garray(double number, Where where = Where::current());
  /// {1, 2, 3}; {{1, 2}, {3, 4}}: rows of one length.
  garray(std::initializer_list<Element> elements, Where where = Where::current());
  garray(std::initializer_list<std::initializer_list<double>> rows, Where where = Where::current());
  /// Elements in C order; without dims a 1-D array.
  template <class Number>
  requires std::floating_point<std::remove_const_t<Number>>
  explicit garray(std::span<Number> elements, Where where = Where::current())
      : garray(elements, Dims{std::ssize(elements)}, where) {}
  template <class Number>
  requires std::floating_point<std::remove_const_t<Number>> garray(std::span<Number> elements,
                                                                   Dims dims,
                                                                   Where where = Where::current())
      : node_(detail::make_uploaded(std::span<const std::remove_const_t<Number>>(elements),
                                    std::move(dims), where)) {}
  template <std::floating_point Number>
  explicit garray(const std::vector<Number>& elements, Where where = Where::current())
      : garray(std::span<const Number>(elements), where) {}
  template <std::floating_point Number>
  garray(const std::vector<Number>& elements, Dims dims, Where where = Where::current())
      : garray(std::span<const Number>(elements), std::move(dims), where) {}
  template <std::integral Number>
  explicit garray(const std::vector<Number>& elements, Where where = Where::current())
      : garray(std::vector<double>(elements.begin(), elements.end()), where) {}
  template <std::floating_point Number>
  explicit garray(const npmat::Array<Number>& array, Where where = Where::current())
      : garray(std::span<const Number>(array.data), array.shape, where) {}

  garray(const garray& other);
  /// Leaves `other` without elements, shape (0,).
  garray(garray&& other) noexcept;
  ~garray() = default;

  // A name gets another value.
  garray& operator=(const garray& other) &;
  garray& operator=(garray&& value) &;
  // A subscript, `a[3] = value`, is written to: the value is broadcast to its shape.
  garray& operator=(const garray& value) &&;
  garray& operator=(garray&& value) &&;
  garray& operator=(double value) &&;

  // ---- what it is ----

  [[nodiscard]] const Dims& shape() const { return node_->dims; }
  /// shape()[axis], negative from the end.
  [[nodiscard]] Index shape(int axis) const;
  [[nodiscard]] Index size() const { return node_->size; }
  [[nodiscard]] int ndim() const { return node_->ndim(); }
  [[nodiscard]] std::int64_t nbytes() const;
  /// nbytes() in units of 2^20.
  [[nodiscard]] double nMBytes() const { return static_cast<double>(nbytes()) / (1 << 20); }
  /// shape()[0]; refuses a 0-d array.
  [[nodiscard]] Index len() const;
  /// auto [rows, cols] = a.extents<2>(); refuses another number of dimensions.
  template <std::size_t N>
  [[nodiscard]] std::array<Index, N> extents() const {
    check_ndim(static_cast<int>(N));
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
  [[nodiscard]] double item() const;
  explicit operator double() const { return item(); }
  /// Whether the only element is not 0, as in Python; refuses arrays of several elements.
  explicit operator bool() const { return item() != 0; }
  /// Whether shape and elements are equal; NaN equals nothing.
  [[nodiscard]] bool eq2(const garray& other, Where where = Where::current()) const;
  /// Whether no element is NaN or infinite.
  [[nodiscard]] bool all_real(Where where = Where::current()) const;
  /// Of the elements that are not 0 the indices along each axis, in C order.
  [[nodiscard]] std::vector<garray> nonzero(Where where = Where::current()) const;
  [[nodiscard]] std::vector<garray> where(Where place = Where::current()) const {
    return nonzero(place);
  }
  /// As NumPy prints it.
  [[nodiscard]] std::string str() const;
  friend std::ostream& operator<<(std::ostream& out, const garray& a) { return out << a.str(); }

  /// Computes the value now, if it is still an expression.
  const garray& settle() const;

  // ---- parts ----

  garray operator[](const Subscript& only) const { return subscript({only}, only.where); }
  garray operator()(const Subscript& first, const Subscript& second = {},
                    const Subscript& third = {}, const Subscript& fourth = {},
                    const Subscript& fifth = {}, const Subscript& sixth = {}) const {
    return subscript({first, second, third, fourth, fifth, sixth}, first.where);
  }
  /// Any number of them.
  [[nodiscard]] garray subscript(const std::vector<Subscript>& subscripts,
                                 Where where = Where::current()) const;
  /// Over the first axis: `for (garray row : a)`, each an alias.
  class Iterator;
  [[nodiscard]] Iterator begin() const;
  [[nodiscard]] Iterator end() const;

  // ---- in place: aliases see it ----

  garray& operator+=(operand b) &;
  garray& operator-=(operand b) &;
  garray& operator*=(operand b) &;
  garray& operator/=(operand b) &;
  garray& operator%=(operand b) &;
  garray& operator+=(operand b) &&;
  garray& operator-=(operand b) &&;
  garray& operator*=(operand b) &&;
  garray& operator/=(operand b) &&;
  garray& operator%=(operand b) &&;
  /// Ascending along the axis, NaNs last.
  void sort(int axis = -1, Where where = Where::current());

  // ---- shapes ----

  /// The same elements in C order; one extent may be -1.
  [[nodiscard]] garray reshape(Shape shape, Where where = Where::current()) const&;
  [[nodiscard]] garray reshape(Shape shape, Where where = Where::current()) &&;
  /// To a matrix: the first `row_axes` axes become its rows, the others its columns.
  [[nodiscard]] garray reshape_2d(int row_axes, Where where = Where::current()) const;
  [[nodiscard]] garray ravel(Where where = Where::current()) const { return reshape({-1}, where); }
  [[nodiscard]] garray T(Where where = Where::current()) const&;
  [[nodiscard]] garray T(Where where = Where::current()) &&;
  /// Axis k of the result is axis axes[k].
  [[nodiscard]] garray transpose(std::vector<int> axes, Where where = Where::current()) const;
  [[nodiscard]] garray transpose(Where where = Where::current()) const { return T(where); }
  [[nodiscard]] garray transpose_simple(std::vector<int> axes,
                                        Where where = Where::current()) const {
    return transpose(std::move(axes), where);
  }
  /// Repeated shape[k] times along axis k.
  [[nodiscard]] garray tile(Shape reps, Where where = Where::current()) const;
  /// A square matrix with the elements on its diagonal; the diagonal of a matrix; whichever fits.
  [[nodiscard]] garray diagflat(Index offset = 0, Where where = Where::current()) const;
  [[nodiscard]] garray diagonal(Index offset = 0, int axis1 = 0, int axis2 = 1,
                                Where where = Where::current()) const;
  [[nodiscard]] garray diag(Index offset = 0, Where where = Where::current()) const;
  [[nodiscard]] garray copy(Where where = Where::current()) const;
  [[nodiscard]] garray flatten(Where where = Where::current()) const;
  // As the functions of these names (shapes.hpp); the first two share memory, as reshape() does.
  [[nodiscard]] garray squeeze(const Axes& axes = {}, Where where = Where::current()) const;
  [[nodiscard]] garray expand_dims(const Axes& axes, Where where = Where::current()) const;
  [[nodiscard]] garray swapaxes(int axis1, int axis2, Where where = Where::current()) const;
  [[nodiscard]] garray moveaxis(const Axes& source, const Axes& destination,
                                Where where = Where::current()) const;
  [[nodiscard]] garray take(const garray& indices, std::optional<int> axis = {},
                            Where where = Where::current()) const;
  [[nodiscard]] garray take(const std::vector<Index>& indices, std::optional<int> axis = {},
                            Where where = Where::current()) const;
  [[nodiscard]] garray take(std::initializer_list<Index> indices, std::optional<int> axis = {},
                            Where where = Where::current()) const {
    return take(std::vector<Index>(indices), axis, where);
  }
  [[nodiscard]] garray trace(Index offset = 0, int axis1 = 0, int axis2 = 1,
                             Where where = Where::current()) const;

  // ---- functions as methods ----

#define GNUMPY_METHOD(name)                                         \
  [[nodiscard]] garray name(Where where = Where::current()) const&; \
  [[nodiscard]] garray name(Where where = Where::current())&&;
  GNUMPY_METHOD(abs)
  GNUMPY_METHOD(exp)
  GNUMPY_METHOD(log)
  GNUMPY_METHOD(log_1_plus_exp)
  GNUMPY_METHOD(logistic)
  GNUMPY_METHOD(sign)
  GNUMPY_METHOD(sqrt)
  GNUMPY_METHOD(tanh)
  GNUMPY_METHOD(isnan)
  GNUMPY_METHOD(isinf)
  GNUMPY_METHOD(isreal)
  GNUMPY_METHOD(isnumber)
  GNUMPY_METHOD(sigmoid)
  GNUMPY_METHOD(log2)
  GNUMPY_METHOD(log10)
  GNUMPY_METHOD(sin)
  GNUMPY_METHOD(cos)
  GNUMPY_METHOD(log1p)
  GNUMPY_METHOD(expm1)
  GNUMPY_METHOD(square)
  GNUMPY_METHOD(reciprocal)
  GNUMPY_METHOD(negative)
  GNUMPY_METHOD(floor)
  GNUMPY_METHOD(ceil)
  GNUMPY_METHOD(rint)
  GNUMPY_METHOD(trunc)
  /// 1 where an element is not 0, NaN among them, and else 0.
  GNUMPY_METHOD(as_bool)
#undef GNUMPY_METHOD
#define GNUMPY_REDUCTION(name, Axis, ...)                                                      \
  [[nodiscard]] garray name(Axis axis = {}, Keep keep = {},                                    \
                            __VA_ARGS__ __VA_OPT__(, ) Where where = Where::current()) const&; \
  [[nodiscard]] garray name(Axis axis = {}, Keep keep = {},                                    \
                            __VA_ARGS__ __VA_OPT__(, ) Where where = Where::current())&&;
  GNUMPY_REDUCTION(sum, const Axes&)
  GNUMPY_REDUCTION(mean, const Axes&)
  GNUMPY_REDUCTION(max, const Axes&)
  GNUMPY_REDUCTION(min, const Axes&)
  GNUMPY_REDUCTION(prod, const Axes&)
  GNUMPY_REDUCTION(argmax, std::optional<int>)
  GNUMPY_REDUCTION(argmin, std::optional<int>)
  GNUMPY_REDUCTION(var, const Axes&, double ddof = 0)
  GNUMPY_REDUCTION(std, const Axes&, double ddof = 0)
  GNUMPY_REDUCTION(all, const Axes&)
  GNUMPY_REDUCTION(any, const Axes&)
  /// all() and any() of elements that are 0 or 1, for which a sum is enough.
  GNUMPY_REDUCTION(all2, const Axes&)
  GNUMPY_REDUCTION(any2, const Axes&)
#undef GNUMPY_REDUCTION
  [[nodiscard]] garray cumsum(std::optional<int> axis = {}, Where where = Where::current()) const;
  /// The places, as numbers, that the elements would have in order (functions.hpp).
  [[nodiscard]] garray argsort(std::optional<int> axis = -1, Where where = Where::current()) const;
  [[nodiscard]] garray dot(operand b, Where where = Where::current()) const;
  [[nodiscard]] garray matmul(operand b, Where where = Where::current()) const;
  [[nodiscard]] garray outer(operand b, Where where = Where::current()) const;
  [[nodiscard]] garray tensordot(operand b, int axes = 2, Where where = Where::current()) const;
  // Element-wise, as the functions of these names (functions.hpp, elementwise.hpp).
#define GNUMPY_METHOD(name)                                                    \
  [[nodiscard]] garray name(operand b, Where where = Where::current()) const&; \
  [[nodiscard]] garray name(operand b, Where where = Where::current())&&;
  GNUMPY_METHOD(pow)
  GNUMPY_METHOD(maximum)
  GNUMPY_METHOD(minimum)
  GNUMPY_METHOD(mod)
  GNUMPY_METHOD(floor_divide)
#undef GNUMPY_METHOD
  [[nodiscard]] garray clip(const std::optional<operand>& least,
                            const std::optional<operand>& greatest,
                            Where where = Where::current()) const;
  [[nodiscard]] garray round(int decimals = 0, Where where = Where::current()) const;
  /// Numbers of the same shape, drawn now: uniform on (0, 1], or standard normal.
  [[nodiscard]] garray rand(Distribution distribution = Distribution::uniform,
                            Where where = Where::current()) const;
  /// The square root of the sum of squares. Waits for the engine.
  [[nodiscard]] double euclid_norm(Where where = Where::current()) const;

  explicit garray(detail::NodePtr node);
  garray(std::nullptr_t) = delete;
  /// What the value is made of; unsettled expressions stay so.
  [[nodiscard]] const detail::NodePtr& node() const {
    return node_;
  }
  [[nodiscard]] detail::NodePtr take() && {
    return std::exchange(node_, detail::nothing());
  }
  /// Computes nothing, whatever the two are.
  friend void swap(garray& a, garray& b) noexcept;

 private:
  void check_ndim(int ndim) const;
  /// Into the elements that this subscript stands for.
  void write(const garray& value);

  detail::NodePtr node_;
};

/// An operand of a function: a named array, whose value is computed once and kept; a temporary,
/// which becomes part of the expression; or a number. It remembers the line of the program.
class operand {
 public:
  operand(const garray& array,  // NOLINT(google-explicit-constructor)
          Where at = Where::current());
  operand(garray&& array,  // NOLINT(google-explicit-constructor)
          Where at = Where::current());
  template <class N>
  requires std::is_arithmetic_v<N> operand(
      N number, Where at = Where::current())  // NOLINT(google-explicit-constructor)
      : node(detail::make_number(static_cast<double>(number), at)), where(at) {}

  detail::NodePtr node;
  Where where;
};

class garray::Iterator {
 public:
  using difference_type = Index;
  using value_type = garray;
  using reference = garray;
  using pointer = void;
  using iterator_category = std::input_iterator_tag;

  Iterator() = default;
  Iterator(const garray* array, Index at) : array_(array), at_(at) {}
  garray operator*() const { return (*array_)[at_]; }
  Iterator& operator++() {
    ++at_;
    return *this;
  }
  Iterator operator++(int) { return {array_, at_++}; }
  friend bool operator==(const Iterator&, const Iterator&) = default;

 private:
  const garray* array_ = nullptr;
  Index at_ = 0;
};

inline garray::Iterator garray::begin() const {
  (void)len();
  return {this, 0};
}
inline garray::Iterator garray::end() const {
  return {this, len()};
}

}  // namespace gnumpy
