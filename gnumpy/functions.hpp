// The functions of gnumpy, and the operators of garray: NumPy 1.24's functions of the same names,
// on garrays and numbers, in the engine's precision.
#pragma once

#include <cmath>
#include <concepts>
#include <filesystem>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "gnumpy/garray.hpp"

namespace gnumpy {

// ---- creation ----

garray empty(Shape shape, Where where = Where::current());  ///< uninitialised
garray full(Shape shape, double value, Where where = Where::current());
garray zeros(Shape shape, Where where = Where::current());
garray ones(Shape shape, Where where = Where::current());
#define GNUMPY_ONE_SHAPE(name)                                                                   \
  template <class First, class Second, class... More>                                            \
  requires(std::is_arithmetic_v<First> && std::is_arithmetic_v<Second>) void name(First, Second, \
                                                                                  More...) {     \
    static_assert(!std::is_arithmetic_v<First>,                                                  \
                  "the shape is one argument, in braces: write gpu::" #name "({2, 3})");         \
  }
GNUMPY_ONE_SHAPE(empty)
GNUMPY_ONE_SHAPE(zeros)
GNUMPY_ONE_SHAPE(ones)
#undef GNUMPY_ONE_SHAPE
/// n x m, or n x n; ones where column - row is k.
garray eye(Index n, std::optional<Index> m = {}, Index k = 0, Where where = Where::current());
/// The array itself, or a garray of anything that its constructors take.
template <class A>
garray as_garray(A&& data, Where where = Where::current()) {
  if constexpr (is_garray<A>)
    return std::forward<A>(data);
  else
    return garray(std::forward<A>(data), where);
}
template <std::floating_point Number = double>
npmat::Array<Number> as_numpy_array(const garray_base& a) {
  return a.as_numpy_array<Number>();
}
/// Uniform on (0, 1]; standard normal. Drawn at once, from the stream that seed_rand() starts.
garray rand(Shape shape, Where where = Where::current());
garray randn(Shape shape, Where where = Where::current());
double rand();
double randn();
/// An extent that records the line of the program.
struct Extent {
  template <std::integral N>
  Extent(N n, Where at = Where::current())  // NOLINT(google-explicit-constructor)
      : extent(static_cast<Index>(n)), where(at) {}
  Index extent;
  Where where;
};
/// The same with any number of extents: rand(2, 3).
template <std::integral... More>
garray rand(Extent first, Extent second, More... more) {
  return rand(Shape{first.extent, second.extent, static_cast<Index>(more)...}, first.where);
}
template <std::integral... More>
garray randn(Extent first, Extent second, More... more) {
  return randn(Shape{first.extent, second.extent, static_cast<Index>(more)...}, first.where);
}
void seed_rand(std::uint64_t seed = 0);
garray load_npy(const std::filesystem::path& path, Where where = Where::current());
/// Saves in the engine's precision: "<f4" for float32.
void save_npy(const std::filesystem::path& path, const garray_base& a);

// ---- operators ----

garray operator+(operand a, operand b);
garray operator-(operand a, operand b);
garray operator*(operand a, operand b);
garray operator/(operand a, operand b);
/// mod (elementwise.hpp).
garray operator%(operand a, operand b);
garray operator-(operand a);
// 1 or 0 for each element; comparisons with NaN are 0, but != is 1.
garray operator<(operand a, operand b);
garray operator<=(operand a, operand b);
garray operator>(operand a, operand b);
garray operator>=(operand a, operand b);
garray operator==(operand a, operand b);
garray operator!=(operand a, operand b);
// Logical operators: elements that are not 0, including NaN, are true.
garray operator&(operand a, operand b);
garray operator|(operand a, operand b);
garray operator^(operand a, operand b);
// A separate overload, because a garray is also a condition; the line of the program is the
// operand's.
garray operator!(const garray_base& a);
garray operator!(garray_base&& a);

// ---- element-wise ----

/// The functions of GNUMPY_UNARY_FUNCTIONS, which include the unary rows of the op table, are
/// NumPy's and gnumpy's functions of these names; gamma and lgamma are C's. isreal: neither NaN nor
/// infinite; isnumber: not NaN; as_bool: 1 if an element is not 0, including NaN. floor, ceil, rint
/// (halves go to the even number) and trunc are exact, and keep the sign of zero.
#define GNUMPY_FUNCTION(name, ...) garray name(operand a);
GNUMPY_UNARY_FUNCTIONS(GNUMPY_FUNCTION)
#undef GNUMPY_FUNCTION
/// NumPy's base ** exponent: either may be an array. The numbers 2, 0.5 and -1 as exponents are a
/// square, a square root (of -inf: nan) and a reciprocal.
garray pow(operand base, operand exponent);
/// The binary rows of the op table that have no operator: maximum, minimum, mod, floor_divide, ...
#define GNUMPY_FUNCTION(name, ...) garray name(operand a, operand b);
CUDAMAT_BINARY_FUNCTION_OPS(GNUMPY_FUNCTION)
#undef GNUMPY_FUNCTION
garray where(operand condition, operand a, operand b);

// ---- reductions: over axes, or over all elements to a 0-d array: sum(a, 1), sum(a, {0, 2}),
// ---- sum(a), and sum(a, 1, keepdims), which keeps the axis with extent 1 (shape.hpp)

/// The reductions of the op table: sum, mean, max, min, prod. max and min are NaN if an element is
/// NaN, and throw if there is no element.
#define GNUMPY_FUNCTION(name, ...) \
  garray name(operand a, const Axes& axis = {}, Keepdims keep = {});
CUDAMAT_FOLD_OPS(GNUMPY_FUNCTION)
#undef GNUMPY_FUNCTION
/// Whether any element is not 0. `all` (index.hpp) is called in the same way: all(a), all(a, 0).
garray any(operand a, const Axes& axis = {}, Keepdims keep = {});
/// all() and any() of elements that are 0 or 1, by a sum.
garray all2(operand a, const Axes& axis = {}, Keepdims keep = {});
garray any2(operand a, const Axes& axis = {}, Keepdims keep = {});
/// argmax, argmin: indices as numbers, so up to 2^24 in float32; they throw beyond that. Without an
/// axis, the index in C order.
#define GNUMPY_FUNCTION(name, ...) garray name(operand a, Axis axis = {}, Keepdims keep = {});
CUDAMAT_ARG_OPS(GNUMPY_FUNCTION)
#undef GNUMPY_FUNCTION
/// The sum of squared differences from the mean, divided by max(count - ddof, 0); its square root.
garray var(operand a, const Axes& axis = {}, Keepdims keep = {}, double ddof = 0);
garray std(operand a, const Axes& axis = {}, Keepdims keep = {}, double ddof = 0);
/// np.linalg.norm without `ord`: the square root of the sum of squares, over one axis, two or all.
garray norm(operand a, const Axes& axis = {}, Keepdims keep = {});
/// Of all elements. Waits for the engine.
double euclid_norm(operand a);

/// Running sums along the axis, or of all elements in C order.
garray cumsum(const garray_base& a, Axis axis = {}, Where where = Where::current());
/// Sorts in ascending order along the axis, NaN last.
garray sort(const garray_base& a, int axis = -1, Where where = Where::current());
/// The indices that sort along the axis, or with std::nullopt all elements in C order: NaN last;
/// the order of equal elements, including -0 and 0, is kept (NumPy does not specify it). Indices
/// are numbers, as for argmax. Sorts on the host: waits for the engine.
garray argsort(const garray_base& a, Axis axis = -1, Where where = Where::current());

// ---- results of data-dependent length: computed on the engine; each waits for the number of
// ---- elements

/// The indices, along each axis, of the elements that are not 0, in C order.
std::vector<garray> nonzero(const garray_base& a, Where where = Where::current());
/// The distinct elements, 1-D, ascending: all NaNs count as one, which is last; -0 and 0 count as
/// one.
garray unique(const garray_base& a, Where where = Where::current());
/// The same, and the number of occurrences of each. Throws for a count that the engine's type
/// cannot represent.
std::pair<garray, garray> unique_counts(const garray_base& a, Where where = Where::current());
/// np.bincount: the number of elements of the 1-D array that are 0, 1, ..., up to the largest, at
/// least `minlength` counts. Throws for elements that are negative or not whole numbers, and for a
/// count that the engine's type cannot represent.
garray bincount(const garray_base& a, Index minlength = 0, Where where = Where::current());
/// The sums of the elements' weights instead; there are as many weights as elements. They are added
/// in a fixed order (cudamat/detail/bins.hpp), with the accuracy of pairwise sums.
garray bincount(const garray_base& a, const garray_base& weights, Index minlength = 0,
                Where where = Where::current());
/// The optional arguments of np.histogram.
struct HistogramOptions {
  /// The range of equal bins; by default from the smallest element to the largest.
  std::optional<std::pair<double, double>> range{};
  /// Weights of the array's shape, which are summed instead of counted.
  const garray_base* weights = nullptr;
  /// Whether to divide by the widths of the bins and the total of all bins.
  bool density = false;
};
/// np.histogram: the count of each bin, and the edges. A bin includes its lower edge, the last bin
/// both edges; elements outside and NaN are not counted. The edges of equal bins have the engine's
/// type, as NumPy's have the array's. Throws for a range that is not finite.
std::pair<garray, garray> histogram(const garray_base& a, Index bins = 10,
                                    const HistogramOptions& options = {},
                                    Where where = Where::current());
/// Bins between the edges, 1-D and not decreasing; options.range is ignored.
std::pair<garray, garray> histogram(const garray_base& a, const garray_base& edges,
                                    const HistogramOptions& options = {},
                                    Where where = Where::current());

// ---- products ----

/// np.dot: sums over the last axis of a and the last but one of b (its only one, if it is 1-D).
garray dot(operand a, operand b);
/// np.matmul: products of matrices, or of stacks of matrices whose other axes are broadcast. A 1-D
/// array is a row on the left, a column on the right. Throws for numbers.
garray matmul(operand a, operand b);
garray outer(operand a, operand b);
/// np.tensordot over the last `axes` axes of a and the first of b.
garray tensordot(operand a, operand b, int axes = 2);
/// np.tensordot over axes of a and as many of b, pair by pair.
garray tensordot(const garray_base& a, const garray_base& b, const std::vector<int>& axes_of_a,
                 const std::vector<int>& axes_of_b, Where where = Where::current());

// ---- methods as functions ----

/// garray's methods of these names.
inline bool eq2(const garray_base& a, const garray_base& b, Where where = Where::current()) {
  return a.eq2(b, where);
}
inline bool all_real(const garray_base& a, Where where = Where::current()) {
  return a.all_real(where);
}

}  // namespace gnumpy

#include "gnumpy/creation.hpp"
#include "gnumpy/elementwise.hpp"
#include "gnumpy/shapes.hpp"
