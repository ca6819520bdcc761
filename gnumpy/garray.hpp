// garray: arrays like NumPy's, on a GPU or a CPU, with value semantics.
//
//   namespace gpu = gnumpy;
//   auto w_vh = 0.1 * gpu::randn(num_vis, num_hid);
//   auto h1 = (gpu::dot(v1, w_vh) + w_h).logistic();
//   auto hSampled = h1.rand() < h1;
//   w_vh += wu_vh * (epsilon / batch_size);
//
// Values    A garray has value semantics: `b = a` is a copy (made when one of the two is written
//           to), and assigning to `a` replaces its value. Elements are floating-point numbers of
//           the engine's type; booleans are 1 and 0.
// Views     A subscript of a named, non-const garray is a garray_view, which shares its elements,
//           and so are its reshape(), ravel() and similar functions. Writing to a view, `a[3] =
//           0.0`, `auto row = a[3]; row += 1`, writes to the array, and changes of the array are
//           visible in the view. A subscript with a mask or an index list is a copy, as in NumPy:
//           `a[a > 2] += 1`, `a[{0, 2}] = b` write to the array, but `auto v = a[a > 2]` has the
//           elements of that moment, and changes of v affect only v. A garray that is made of a
//           view is a value: `garray row = a[3]`, or a parameter of type garray. Subscripts of
//           const garrays are values. Transposes are always values. A view keeps the memory of its
//           array alive.
// Laziness  An expression is computed when it is assigned, read or used in another statement. Until
//           then, later writes to its operands do not affect it. It is computed once, by the
//           statements to which the rewriter converts it (explain()), with the passes that keep
//           every bit. Temporaries are overwritten; a transposed factor of a product is a flag.
//           Pending expressions that keep much larger operands alive are computed when memory
//           grows, and all pending expressions before an allocation fails.
// Shapes    Any number of dimensions up to NumPy's 32; extents may be 0; NumPy's broadcasting.
// Numbers   Reductions to one number are 0-d; item() reads them.
// Errors    CUDAMatException with the operation, the shapes and the line of the program.
// OutOfMemory
//           has the bytes asked for, in use and allowed, and the lines that hold most; every garray
//           is unchanged.
// Threads   Different threads may use different garrays; one of them computes at a time. As soon as
//           a second thread has used garrays, copies are made at once. Arrays that share memory,
//           such as an array and its view, must be used by one thread at a time.
// Waiting   On a GPU, only reading on the host waits; masks and index arrays are read on the host.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "gnumpy/garray_base.hpp"

namespace gnumpy {

class garray_view;

/// Whether a type is a garray or a view of one.
template <class A>
inline constexpr bool is_garray = std::is_base_of_v<garray_base, std::remove_cvref_t<A>>;

/// An element of a list in braces; a list of bools is boolean.
struct Element {
  template <class N>
  requires std::is_arithmetic_v<N> Element(N n)  // NOLINT(google-explicit-constructor)
      : number(static_cast<double>(n)), is_truth(std::is_same_v<N, bool>) {}
  double number;
  bool is_truth;
};

/// Iterates over the first axis of A, a garray or a const one: views or values.
template <class A>
class RowIterator {
 public:
  using difference_type = Index;
  using value_type = decltype(std::declval<A&>()[0]);
  using reference = value_type;
  using pointer = void;
  using iterator_category = std::input_iterator_tag;

  RowIterator() = default;
  RowIterator(A* array, Index at) : array_(array), at_(at) {}
  reference operator*() const { return (*array_)[at_]; }
  RowIterator& operator++() {
    ++at_;
    return *this;
  }
  RowIterator operator++(int) { return {array_, at_++}; }
  friend bool operator==(const RowIterator&, const RowIterator&) = default;

 private:
  A* array_ = nullptr;
  Index at_ = 0;
};

// Subscripts and reshapes with the result type `Result` and the qualifier `Of`, such as const&.
#define GNUMPY_PARTS(Result, Of)                                                          \
  Result operator[](const Subscript& only) Of;                                            \
  Result operator()(const Subscript& first, const Subscript& second = {},                 \
                    const Subscript& third = {}, const Subscript& fourth = {},            \
                    const Subscript& fifth = {}, const Subscript& sixth = {}) Of;         \
  /** Any number of them. */                                                              \
  [[nodiscard]] Result subscript(const std::vector<Subscript>& subscripts,                \
                                 Where where = Where::current()) Of;                      \
  /** The same elements in C order; one extent may be -1. */                              \
  [[nodiscard]] Result reshape(Shape shape, Where where = Where::current()) Of;           \
  /** To a matrix: the first `row_axes` axes become its rows, the others its columns. */  \
  [[nodiscard]] Result reshape_2d(int row_axes, Where where = Where::current()) Of;       \
  [[nodiscard]] Result ravel(Where where = Where::current()) Of;                          \
  /** Without axes of extent 1: all of them, or those named, which must have it. */       \
  [[nodiscard]] Result squeeze(const Axes& axes = {}, Where where = Where::current()) Of; \
  /** With axes of extent 1 at these places of the result's shape. */                     \
  [[nodiscard]] Result expand_dims(const Axes& axes, Where where = Where::current()) Of;

class garray : public garray_base {
 public:
  /// No elements: shape (0,).
  garray(Where where = Where::current());  // NOLINT(google-explicit-constructor)
  /// 0-d.
  explicit garray(double number, Where where = Where::current());
  /// {1, 2, 3}; {{1, 2}, {3, 4}}, {{{1, 2}}, {{3, 4}}}: parts of the same shape.
  garray(std::initializer_list<Element> elements, Where where = Where::current());
  garray(std::initializer_list<std::initializer_list<double>> rows, Where where = Where::current());
  garray(std::initializer_list<std::initializer_list<std::initializer_list<double>>> parts,
         Where where = Where::current());
  using Lists = std::initializer_list<std::initializer_list<std::initializer_list<double>>>;
  garray(std::initializer_list<Lists>, Where = {}) = delete;  // write garray(vector, {2, 2, 2, 2})
  /// Elements in C order; without dims, a 1-D array.
  template <class Number>
  requires std::floating_point<std::remove_const_t<Number>>
  explicit garray(std::span<Number> elements, Where where = Where::current())
      : garray(elements, Dims{std::ssize(elements)}, where) {}
  template <class Number>
  requires std::floating_point<std::remove_const_t<Number>> garray(std::span<Number> elements,
                                                                   Dims dims,
                                                                   Where where = Where::current())
      : garray_base(detail::make_uploaded(std::span<const std::remove_const_t<Number>>(elements),
                                          std::move(dims), where)) {}
  template <std::floating_point Number>
  explicit garray(const std::vector<Number>& elements, Where where = Where::current())
      : garray(std::span<const Number>(elements), where) {}
  template <std::floating_point Number>
  garray(const std::vector<Number>& elements, Dims dims, Where where = Where::current())
      : garray(std::span<const Number>(elements), std::move(dims), where) {}
  template <std::integral Number>
  explicit garray(const std::vector<Number>& elements, Where where = Where::current())
      : garray(std::vector<double>(elements.begin(), elements.end()), where) {
    if (std::same_as<Number, bool>) node_->storage->content = detail::Content::Truths;
  }
  /// Rows of the same length.
  template <class Number>
  requires std::is_arithmetic_v<Number>
  explicit garray(const std::vector<std::vector<Number>>& rows, Where where = Where::current()) {
    std::vector<double> elements;
    Dims dims{std::ssize(rows), rows.empty() ? 0 : std::ssize(rows[0])};
    for (const auto& row : rows) {
      check_part(dims[1], std::ssize(row), where);
      elements.insert(elements.end(), row.begin(), row.end());
    }
    node_ = detail::make_uploaded(std::span<const double>(elements), std::move(dims), where);
  }
  template <std::floating_point Number>
  explicit garray(const npmat::Array<Number>& array, Where where = Where::current())
      : garray(std::span<const Number>(array.data), array.shape, where) {}

  garray(const garray& other);
  /// Leaves `other` without elements, shape (0,).
  garray(garray&& other) noexcept;
  /// The current elements of the view, as a value.
  garray(const garray_view& view);  // NOLINT(google-explicit-constructor)
  ~garray() = default;

  garray& operator=(const garray& other) &;
  garray& operator=(garray&& value) &;
  template <class N>
  requires std::is_arithmetic_v<N> garray& operator=(N) & {
    static_assert(
        !std::is_arithmetic_v<N>,
        "write a[gpu::ellipsis] = 0.0 for all elements of a, a = garray(0.0) for a number");
    return *this;
  }

  // Subscripts of const arrays and of temporaries are values, which cannot be written to.
  template <class V>
  void operator=(const V&) && = delete;  // write to a subscript of a named garray that is not const
  template <class V>
  void operator+=(const V&) && = delete;  // likewise
  template <class V>
  void operator-=(const V&) && = delete;
  template <class V>
  void operator*=(const V&) && = delete;
  template <class V>
  void operator/=(const V&) && = delete;
  template <class V>
  void operator%=(const V&) && = delete;

  /// Computes the value now, if it is still an expression.
  const garray& materialize() const;
  /// An older name of materialize().
  const garray& settle() const { return materialize(); }

  // ---- parts: views of named, non-const arrays, otherwise values ----

  GNUMPY_PARTS(garray_view, &)
  GNUMPY_PARTS(garray, const&)
  [[nodiscard]] garray reshape(Shape shape, Where where = Where::current()) &&;
  /// Iterates over the first axis: `for (auto row : a)`.
  [[nodiscard]] RowIterator<garray> begin();
  [[nodiscard]] RowIterator<garray> end();
  [[nodiscard]] RowIterator<const garray> begin() const;
  [[nodiscard]] RowIterator<const garray> end() const;

  // ---- in place: visible through views ----

  garray& operator+=(operand b) &;
  garray& operator-=(operand b) &;
  garray& operator*=(operand b) &;
  garray& operator/=(operand b) &;
  garray& operator%=(operand b) &;
  /// Sorts in ascending order along the axis, NaN last.
  void sort(int axis = -1, Where where = Where::current());

  explicit garray(detail::NodePtr node);
  garray(std::nullptr_t) = delete;
  /// Exchanges two arrays without computing anything.
  friend void swap(garray& a, garray& b) noexcept;

 private:
  static void check_part(Index wanted, Index size, const Where& where);
};

/// A view of elements of a garray. Assigning to a view writes to the array: the value is broadcast
/// to its shape. Copies of a view refer to the same elements. A container that moves its elements
/// would therefore write to the array: keep garrays in containers, not views; std::swap, std::sort
/// and vector::erase of views do not compile. swap(x, y) exchanges elements.
///
/// With a mask or an index list among the subscripts the view is a selection: it has the elements
/// of the moment of the subscript. A write to the subscript itself, `a[mask] = b`, writes to the
/// array; a named selection, `auto v = a[mask]`, is a copy of the elements, of which v[0] is a
/// view. A write that would have no effect, `a[mask][0] = 1.0`, throws.
class garray_view : public garray_base {
 public:
  /// A view of all elements.
  garray_view(garray& array);  // NOLINT(google-explicit-constructor)
  garray_view(const garray_view& other);
  ~garray_view() = default;

  garray_view& operator=(garray_view&&) & = delete;  // write row = garray(a[1]) for its elements
  garray_view& operator=(const garray_view& value) & { return own(), assign(value); }
  garray_view& operator=(const garray_view& value) && { return refer(), assign(value); }
  garray_view& operator=(const garray& value) & { return own(), assign(value); }
  garray_view& operator=(const garray& value) && { return refer(), assign(value); }
  garray_view& operator=(garray&& value) & { return own(), assign(std::move(value)); }
  garray_view& operator=(garray&& value) && { return refer(), assign(std::move(value)); }
  template <class N>
  requires std::is_arithmetic_v<N> garray_view& operator=(N value) & {
    return own(), fill(static_cast<double>(value));
  }
  template <class N>
  requires std::is_arithmetic_v<N> garray_view& operator=(N value) && {
    return refer(), fill(static_cast<double>(value));
  }

  garray_view& operator+=(operand b) &;
  garray_view& operator+=(operand b) &&;
  garray_view& operator-=(operand b) &;
  garray_view& operator-=(operand b) &&;
  garray_view& operator*=(operand b) &;
  garray_view& operator*=(operand b) &&;
  garray_view& operator/=(operand b) &;
  garray_view& operator/=(operand b) &&;
  garray_view& operator%=(operand b) &;
  garray_view& operator%=(operand b) &&;
  void sort(int axis = -1, Where where = Where::current()) &;
  void sort(int axis = -1, Where where = Where::current()) &&;

  // ---- parts: views, or values if const ----

  GNUMPY_PARTS(garray_view, &)
  GNUMPY_PARTS(garray_view, &&)
  GNUMPY_PARTS(garray, const&)
  [[nodiscard]] RowIterator<garray_view> begin();
  [[nodiscard]] RowIterator<garray_view> end();
  [[nodiscard]] RowIterator<const garray_view> begin() const;
  [[nodiscard]] RowIterator<const garray_view> end() const;

  /// Exchanges the elements.
  friend void swap(garray_view a, garray_view b);

  explicit garray_view(detail::NodePtr node) : garray_base(std::move(node)) {}
  garray_view(std::nullptr_t) = delete;

 private:
  friend class garray;

  garray_view(detail::NodePtr value, detail::NodePtr place)
      : garray_base(std::move(value)), place_(std::move(place)) {}
  static garray_view part(const detail::NodePtr& of, const std::vector<Subscript>& subscripts,
                          detail::Selection selection, const Where& where);
  /// The part; writes to it throw if it is a part of an unnamed selection.
  static garray_view lost_if(bool is_selection, garray_view part);

  /// Before an operation on a named selection: the view gets its own copy of the elements.
  void own();
  /// Before a write to a temporary: the write goes to the array.
  void refer();
  void check_not_lost() const;
  garray_view& assign(const garray_base& value);
  garray_view& assign(garray&& value);
  garray_view& fill(double value);

  detail::NodePtr place_;  // of a selection the Part of the array; nothing() if writes are lost
};
#undef GNUMPY_PARTS

#define GNUMPY_BRACKETS(Result, Class, Of)                                                       \
  inline Result Class::operator[](const Subscript& only) Of {                                    \
    return std::forward<Class Of>(*this).subscript({only}, only.where);                          \
  }                                                                                              \
  inline Result Class::operator()(const Subscript& first, const Subscript& second,               \
                                  const Subscript& third, const Subscript& fourth,               \
                                  const Subscript& fifth, const Subscript& sixth) Of {           \
    return std::forward<Class Of>(*this).subscript({first, second, third, fourth, fifth, sixth}, \
                                                   first.where);                                 \
  }
GNUMPY_BRACKETS(garray_view, garray, &)
GNUMPY_BRACKETS(garray, garray, const&)
GNUMPY_BRACKETS(garray_view, garray_view, &)
GNUMPY_BRACKETS(garray_view, garray_view, &&)
GNUMPY_BRACKETS(garray, garray_view, const&)
#undef GNUMPY_BRACKETS

/// An operand of a function: a named array, whose value is computed once and kept; a temporary,
/// which becomes part of the expression; or a number. It records the line of the program.
class operand {
 public:
  operand(const garray_base& array,  // NOLINT(google-explicit-constructor)
          Where at = Where::current());
  operand(garray_base&& array,  // NOLINT(google-explicit-constructor)
          Where at = Where::current());
  /// What a garray holds that will soon be dropped: as a part of the expression, where it can be
  /// one. The garray keeps it, and if its value is asked for all the same, it is computed then.
  operand(detail::NodePtr held, Where at);
  template <class N>
  requires std::is_arithmetic_v<N> operand(
      N number, Where at = Where::current())  // NOLINT(google-explicit-constructor)
      : node(detail::make_number(static_cast<double>(number), at)), where(at) {}

  detail::NodePtr node;
  Where where;
};

}  // namespace gnumpy
