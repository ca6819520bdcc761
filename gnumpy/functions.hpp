// The functions of the module gnumpy, and the operators of garray. NumPy's functions of the same
// names, on garrays and numbers; what each computes is NumPy 1.24's, in the engine's precision.
#pragma once

#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "gnumpy/garray.hpp"

namespace gnumpy {

// ---- making arrays ----

garray empty(Shape shape, Where where = Where::current());  ///< uninitialised
garray full(Shape shape, double value, Where where = Where::current());
garray zeros(Shape shape, Where where = Where::current());
garray ones(Shape shape, Where where = Where::current());
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
npmat::Array<Number> as_numpy_array(const garray& a) {
  return a.as_numpy_array<Number>();
}
/// The first of several extents, which knows the line of the program.
struct Extent {
  template <std::integral N>
  Extent(N n, Where at = Where::current())  // NOLINT(google-explicit-constructor)
      : extent(static_cast<Index>(n)), where(at) {}
  Index extent;
  Where where;
};
/// Uniform on (0, 1]; standard normal. Drawn when called, from the stream that seed_rand() starts.
garray rand(Shape shape, Where where = Where::current());
garray randn(Shape shape, Where where = Where::current());
double rand();
double randn();
// rand(2, 3, 4): any number of extents.
template <std::integral... N>
garray rand(Extent first, Index second, N... rest) {
  return rand(Dims{first.extent, second, static_cast<Index>(rest)...}, first.where);
}
template <std::integral... N>
garray randn(Extent first, Index second, N... rest) {
  return randn(Dims{first.extent, second, static_cast<Index>(rest)...}, first.where);
}
void seed_rand(std::uint64_t seed = 0);
/// `a` repeated reps[k] times along axis k.
garray tile(const garray& a, Shape reps, Where where = Where::current());
garray load_npy(const std::filesystem::path& path, Where where = Where::current());
void save_npy(const std::filesystem::path& path, const garray& a);

// ---- operators ----

garray operator+(operand a, operand b);
garray operator-(operand a, operand b);
garray operator*(operand a, operand b);
garray operator/(operand a, operand b);
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
garray operator!(const garray& a);
garray operator!(garray&& a);

// ---- element-wise ----

garray abs(operand a);
garray exp(operand a);
garray log(operand a);
garray log2(operand a);
garray log10(operand a);
garray log_1_plus_exp(operand a);
garray logistic(operand a);
garray sigmoid(operand a);  ///< logistic
garray sqrt(operand a);
garray sign(operand a);
garray sin(operand a);
garray cos(operand a);
garray tanh(operand a);
garray negative(operand a);
garray isnan(operand a);
garray isinf(operand a);
/// Whether an element is neither NaN nor infinite; whether it is not NaN.
garray isreal(operand a);
garray isnumber(operand a);
/// 1 where an element is not 0, NaN among them, and else 0.
garray as_bool(operand a);
/// NumPy's base ** exponent: either may be an array. The numbers 2, 0.5 and -1 as exponents are a
/// square, a square root (of -inf: nan) and a reciprocal.
garray pow(operand base, operand exponent);
garray maximum(operand a, operand b);
garray minimum(operand a, operand b);
garray where(operand condition, operand a, operand b);

// ---- reductions: over an axis, several, or all to a 0-d array: sum(a), sum(a, 1), sum(a, {0, 2}),
// ---- sum(a, 1, keepdims), with the axis as one of extent 1 (axes.hpp). Negative axes count from
// ---- the end; one that is not there, or is there twice, is refused.

garray sum(operand a, const Axes& axes = {}, Keep keep = {});
garray mean(operand a, const Axes& axes = {}, Keep keep = {});
/// NaN if there is one; refused where there is no element.
garray max(operand a, const Axes& axes = {}, Keep keep = {});
garray min(operand a, const Axes& axes = {}, Keep keep = {});
garray prod(operand a, const Axes& axes = {}, Keep keep = {});
/// Indices as numbers, so up to 2^24 in float32, beyond which they are refused; of all elements in
/// C order. Over one axis or all.
garray argmax(operand a, std::optional<int> axis = {}, Keep keep = {});
garray argmin(operand a, std::optional<int> axis = {}, Keep keep = {});
/// The squared differences from the mean, their sum divided by max(count - ddof, 0); its square
/// root.
garray var(operand a, const Axes& axes = {}, Keep keep = {}, double ddof = 0);
garray std(operand a, const Axes& axes = {}, Keep keep = {}, double ddof = 0);
/// np.linalg.norm without `ord`: the square root of the sum of squares, over one axis, two or all.
garray norm(operand a, const Axes& axes = {}, Keep keep = {});
/// Of all elements. Waits for the engine.
double euclid_norm(operand a);
/// Whether any element is not 0. `all` (index.hpp) is called likewise: all(a), all(a, 0).
garray any(operand a, const Axes& axes = {}, Keep keep = {});
/// all and any of elements that are 0 or 1, for which a sum is enough.
garray all2(operand a, const Axes& axes = {}, Keep keep = {});
garray any2(operand a, const Axes& axes = {}, Keep keep = {});

/// Running sums along the axis, or of all elements in C order.
garray cumsum(const garray& a, std::optional<int> axis = {}, Where where = Where::current());
/// Ascending along the axis, NaNs last.
garray sort(const garray& a, int axis = -1, Where where = Where::current());
/// The places of the elements in ascending order along the axis, or with std::nullopt of all in C
/// order: NaNs last, equal elements, -0 and 0 among them, in the order in which they stand (stable,
/// where NumPy leaves it open). Numbers, as argmax gives them. Sorted on the host: waits for the
/// engine.
garray argsort(const garray& a, std::optional<int> axis = -1, Where where = Where::current());
/// Of the elements that are not 0 the indices along each axis, in C order. Waits for the engine.
std::vector<garray> nonzero(const garray& a, Where where = Where::current());

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
garray tensordot(const garray& a, const garray& b, const std::vector<int>& axes_of_a,
                 const std::vector<int>& axes_of_b, Where where = Where::current());

// ---- methods as functions ----

/// As garray's methods of these names.
inline bool eq2(const garray& a, const garray& b, Where where = Where::current()) {
  return a.eq2(b, where);
}
inline bool all_real(const garray& a, Where where = Where::current()) {
  return a.all_real(where);
}

}  // namespace gnumpy

#include "gnumpy/creation.hpp"
#include "gnumpy/elementwise.hpp"
#include "gnumpy/shapes.hpp"
