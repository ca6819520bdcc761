// The functions of the module gnumpy, and the operators of garray. NumPy's functions of the same
// names, on garrays and numbers; what each computes is NumPy 1.24's, in the engine's precision.
#pragma once

#include <cmath>
#include <concepts>
#include <filesystem>
#include <optional>
#include <type_traits>
#include <vector>

#include "gnumpy/garray.hpp"

namespace gnumpy {

// ---- making arrays ----

garray empty(Shape shape, Where where = Where::current());  ///< uninitialised
garray full(Shape shape, double value, Where where = Where::current());
garray zeros(Shape shape, Where where = Where::current());
garray ones(Shape shape, Where where = Where::current());
/// Of an array's shape; zeros_like and ones_like of truth values are truth values.
garray empty_like(const garray_base& a, Where where = Where::current());
garray full_like(const garray_base& a, double value, Where where = Where::current());
garray zeros_like(const garray_base& a, Where where = Where::current());
garray ones_like(const garray_base& a, Where where = Where::current());
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
garray eye(Index n, Where where = Where::current());
/// start, start + step, ... as long as it is before stop.
garray arange(double stop, Where where = Where::current());
garray arange(double start, double stop, double step = 1, Where where = Where::current());
/// `count` numbers, equally far apart, from start to stop, which is left out without `endpoint`.
garray linspace(double start, double stop, Index count = 50, bool endpoint = true,
                Where where = Where::current());
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

// ---- moving elements: new values ----

garray copy(const garray_base& a, Where where = Where::current());
garray reshape(const garray_base& a, Shape shape, Where where = Where::current());
garray ravel(const garray_base& a, Where where = Where::current());
garray squeeze(const garray_base& a, const Axes& axes = {}, Where where = Where::current());
garray expand_dims(const garray_base& a, int axis, Where where = Where::current());
garray transpose(const garray_base& a, Where where = Where::current());
garray transpose(const garray_base& a, std::vector<int> axes, Where where = Where::current());
garray swapaxes(const garray_base& a, int first, int second, Where where = Where::current());
/// A square matrix with the elements of `a`, ravelled, on its diagonal; the diagonal of a matrix;
/// of a 1-D array the first, of a matrix the second.
garray diagflat(const garray_base& a, Where where = Where::current());
garray diagonal(const garray_base& a, Where where = Where::current());
garray diag(const garray_base& a, Where where = Where::current());
/// Of 1-D and more; along an axis that all have, the other extents equal.
garray concatenate(const std::vector<garray>& parts, int axis = 0, Where where = Where::current());
/// Arrays of one shape along a new axis, the result's axis `axis`.
garray stack(const std::vector<garray>& parts, int axis = 0, Where where = Where::current());
/// Along the first axis, 1-D arrays as rows; along the second, 1-D arrays along their only one;
/// along the third, 1-D arrays as columns; matrices side by side, 1-D arrays as columns.
garray vstack(const std::vector<garray>& parts, Where where = Where::current());
garray hstack(const std::vector<garray>& parts, Where where = Where::current());
garray dstack(const std::vector<garray>& parts, Where where = Where::current());
garray column_stack(const std::vector<garray>& parts, Where where = Where::current());
/// `a` repeated reps[k] times along axis k.
garray tile(const garray_base& a, Shape reps, Where where = Where::current());
/// The elements with these numbers along the axis, or of all in C order.
garray take(const garray_base& a, const garray_base& indices, std::optional<int> axis = {},
            Where where = Where::current());
garray take(const garray_base& a, const std::vector<Index>& indices, std::optional<int> axis = {},
            Where where = Where::current());

// ---- operators ----

garray operator+(operand a, operand b);
garray operator-(operand a, operand b);
garray operator*(operand a, operand b);
garray operator/(operand a, operand b);
/// What is left of a after the greatest multiple of b below it: with the sign of b.
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
// By themselves, since a garray is also a condition; the line of the program is the operand's.
garray operator!(const garray_base& a);
garray operator!(garray_base&& a);

// ---- element-wise ----

/// The functions of GNUMPY_UNARY_FUNCTIONS are NumPy's and gnumpy's of these names. isreal: neither
/// NaN nor infinite; isnumber: not NaN; as_bool: 1 where an element is not 0, NaN among them.
#define GNUMPY_FUNCTION(name) garray name(operand a);
GNUMPY_UNARY_FUNCTIONS(GNUMPY_FUNCTION)
#undef GNUMPY_FUNCTION
/// NumPy's base ** exponent: either may be an array. The numbers 2, 0.5 and -1 as exponents are a
/// square, a square root (of -inf: nan) and a reciprocal.
garray pow(operand base, operand exponent);
garray maximum(operand a, operand b);
garray minimum(operand a, operand b);
/// minimum(maximum(a, low), high); a bound that is std::nullopt is none.
garray clip(operand a, operand low, operand high);
garray clip(operand a, std::nullopt_t, operand high);
garray clip(operand a, operand low, std::nullopt_t);
garray where(operand condition, operand a, operand b);

// ---- reductions: over axes, or over all elements to a 0-d array ----

garray sum(operand a, const Axes& axis = {}, Keepdims keep = {});
garray mean(operand a, const Axes& axis = {}, Keepdims keep = {});
garray max(operand a, const Axes& axis = {}, Keepdims keep = {});
garray min(operand a, const Axes& axis = {}, Keepdims keep = {});
garray prod(operand a, const Axes& axis = {}, Keepdims keep = {});
/// Whether any element is not 0. `all` (index.hpp) is called likewise: all(a), all(a, 0).
garray any(operand a, const Axes& axis = {}, Keepdims keep = {});
/// all() and any() of elements that are 0 or 1, for which a sum is enough.
garray all2(operand a, const Axes& axis = {}, Keepdims keep = {});
garray any2(operand a, const Axes& axis = {}, Keepdims keep = {});
/// Indices as numbers, so up to 2^24 in float32, beyond which they are refused; of all elements in
/// C order.
garray argmax(operand a, std::optional<int> axis = {}, Keepdims keep = {});
garray argmin(operand a, std::optional<int> axis = {}, Keepdims keep = {});
/// The sum of squared differences from the mean, divided by max(count - ddof, 0); its square root.
garray var(operand a, const Axes& axis = {}, Keepdims keep = {}, double ddof = 0);
garray std(operand a, const Axes& axis = {}, Keepdims keep = {}, double ddof = 0);

/// Running sums along the axis, or of all elements in C order.
garray cumsum(const garray_base& a, std::optional<int> axis = {}, Where where = Where::current());
/// Ascending along the axis, NaNs last.
garray sort(const garray_base& a, int axis = -1, Where where = Where::current());
/// The indices that sort() would have, as numbers; of equal elements in their order. Sorted on the
/// host: waits for the engine.
garray argsort(const garray_base& a, int axis = -1, Where where = Where::current());
/// Of the elements that are not 0 the indices along each axis, in C order. Waits for the engine.
std::vector<garray> nonzero(const garray_base& a, Where where = Where::current());

// ---- products ----

/// np.dot: over the last axis of a and the last but one of b (its only one, if 1-D).
garray dot(operand a, operand b);
/// Products of matrices, broadcast over all axes but the last two; refuses 0-d arrays.
garray matmul(operand a, operand b);
garray outer(operand a, operand b);
/// The sum of the diagonal of a matrix.
garray trace(const garray_base& a, Where where = Where::current());
/// np.tensordot over the last `axes` axes of a and the first of b.
garray tensordot(operand a, operand b, int axes = 2);
/// np.tensordot over axes of a and as many of b, pair by pair.
garray tensordot(const garray_base& a, const garray_base& b, const std::vector<int>& axes_of_a,
                 const std::vector<int>& axes_of_b, Where where = Where::current());

}  // namespace gnumpy
