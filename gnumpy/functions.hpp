// The functions of the module gnumpy, and the operators of garray. NumPy's functions of the same
// names, on garrays and numbers; what each computes is NumPy 1.24's, in the engine's precision.
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

// ---- making arrays ----

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
/// The array itself, or one of what its constructors take.
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
/// Uniform on (0, 1]; standard normal. Drawn when called, from the stream that seed_rand() starts.
garray rand(Shape shape, Where where = Where::current());
garray randn(Shape shape, Where where = Where::current());
double rand();
double randn();
/// An extent that remembers the line of the program.
struct Extent {
  template <std::integral N>
  Extent(N n, Where at = Where::current())  // NOLINT(google-explicit-constructor)
      : extent(static_cast<Index>(n)), where(at) {}
  Index extent;
  Where where;
};
/// The same, of any number of extents: rand(2, 3).
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
/// In the engine's precision: "<f4" of float32.
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
// Of truth values: what is not 0 is true, NaN too.
garray operator&(operand a, operand b);
garray operator|(operand a, operand b);
garray operator^(operand a, operand b);
// By themselves, since a garray is also a condition; the line of the program is the operand's.
garray operator!(const garray_base& a);
garray operator!(garray_base&& a);

// ---- element-wise ----

/// The functions of GNUMPY_UNARY_FUNCTIONS, the unary rows of the op table among them, are NumPy's
/// and gnumpy's of these names; gamma and lgamma are C's. isreal: neither NaN nor infinite;
/// isnumber: not NaN; as_bool: 1 where an element is not 0, NaN among them.
/// floor, ceil, rint (halves to the even number) and trunc are exact, and zeros keep their sign.
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
// ---- sum(a), and sum(a, 1, keepdims), where the axis stays with extent 1 (shape.hpp)

/// Those of the op table: sum, mean, max, min, prod. max and min are NaN if there is one, and
/// refused where there is no element.
#define GNUMPY_FUNCTION(name, ...) \
  garray name(operand a, const Axes& axis = {}, Keepdims keep = {});
CUDAMAT_FOLD_OPS(GNUMPY_FUNCTION)
#undef GNUMPY_FUNCTION
/// Whether any element is not 0. `all` (index.hpp) is called likewise: all(a), all(a, 0).
garray any(operand a, const Axes& axis = {}, Keepdims keep = {});
/// all() and any() of elements that are 0 or 1, for which a sum is enough.
garray all2(operand a, const Axes& axis = {}, Keepdims keep = {});
garray any2(operand a, const Axes& axis = {}, Keepdims keep = {});
/// argmax, argmin: indices as numbers, so up to 2^24 in float32, beyond which they are refused; of
/// all elements in C order.
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
/// Ascending along the axis, NaNs last.
garray sort(const garray_base& a, int axis = -1, Where where = Where::current());
/// The places of the elements in ascending order along the axis, or with std::nullopt of all in C
/// order: NaNs last, equal elements, -0 and 0 among them, in the order in which they stand (stable,
/// where NumPy leaves it open). Numbers, as argmax gives them. Sorted on the host: waits for the
/// engine.
garray argsort(const garray_base& a, Axis axis = -1, Where where = Where::current());

// ---- what values choose: computed on the engine; each waits for it, to know how many there are

/// Of the elements that are not 0 the indices along each axis, in C order.
std::vector<garray> nonzero(const garray_base& a, Where where = Where::current());
/// The distinct elements, 1-D, ascending: all NaNs are one, which comes last, -0 and 0 are one.
garray unique(const garray_base& a, Where where = Where::current());
/// The same, and how often each is there. A count that is no number of the engine's type is
/// refused.
std::pair<garray, garray> unique_counts(const garray_base& a, Where where = Where::current());
/// np.bincount: how many elements of the 1-D array are 0, 1, ..., up to the greatest of them, at
/// least `minlength` counts. Refuses what is negative or no whole number, and a count that is no
/// number of the engine's type.
garray bincount(const garray_base& a, Index minlength = 0, Where where = Where::current());
/// The sums of the elements' weights instead, as many as elements: added up in a fixed order
/// (cudamat/detail/bins.hpp), with the accuracy of pairwise sums.
garray bincount(const garray_base& a, const garray_base& weights, Index minlength = 0,
                Where where = Where::current());
/// What np.histogram takes besides the array and its bins.
struct HistogramOptions {
  /// Of equal bins; else from the least element to the greatest.
  std::optional<std::pair<double, double>> range{};
  /// Of the array's shape: their sums instead of counts.
  const garray_base* weights = nullptr;
  /// Divided by the bins' widths, and by the sum of all that is in them.
  bool density = false;
};
/// np.histogram: what is in each bin, and the edges. A bin has its lower edge, the last one both;
/// what is outside, and NaN, counts nowhere. Equal bins: their number; their edges are of the
/// engine's type, as NumPy's are of the array's. A range that is not finite is refused.
std::pair<garray, garray> histogram(const garray_base& a, Index bins = 10,
                                    const HistogramOptions& options = {},
                                    Where where = Where::current());
/// Bins between edges, 1-D, each at least the one before; options.range is not looked at.
std::pair<garray, garray> histogram(const garray_base& a, const garray_base& edges,
                                    const HistogramOptions& options = {},
                                    Where where = Where::current());

// ---- products ----

/// np.dot: over the last axis of a and the last but one of b (its only one, if 1-D).
garray dot(operand a, operand b);
/// np.matmul: of matrices, or of as many of them as the axes before the last two, broadcast, have.
/// A 1-D array is a row on the left, a column on the right. Numbers are refused.
garray matmul(operand a, operand b);
garray outer(operand a, operand b);
/// np.tensordot over the last `axes` axes of a and the first of b.
garray tensordot(operand a, operand b, int axes = 2);
/// np.tensordot over axes of a and as many of b, pair by pair.
garray tensordot(const garray_base& a, const garray_base& b, const std::vector<int>& axes_of_a,
                 const std::vector<int>& axes_of_b, Where where = Where::current());

// ---- methods as functions ----

/// As garray's methods of these names.
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
