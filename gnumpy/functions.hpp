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
garray eye(Index n, Where where = Where::current());
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
/// A square matrix with the elements of `a`, ravelled, on its diagonal.
garray diagflat(const garray& a, Where where = Where::current());
/// Uniform on (0, 1]; standard normal. Drawn when called, from the stream that seed_rand() starts.
garray rand(Shape shape, Where where = Where::current());
garray randn(Shape shape, Where where = Where::current());
double rand();
garray rand(Index first, Index second, Where where = Where::current());
garray rand(Index first, Index second, Index third, Where where = Where::current());
garray randn(Index first, Index second, Where where = Where::current());
garray randn(Index first, Index second, Index third, Where where = Where::current());
void seed_rand(std::uint64_t seed = 0);
/// Of 1-D and more; along an axis that all have, the other extents equal.
garray concatenate(const std::vector<garray>& parts, int axis = 0, Where where = Where::current());
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
/// NumPy's base ** exponent: either may be an array. The numbers 2, 0.5 and -1 as exponents are a
/// square, a square root (of -inf: nan) and a reciprocal.
garray pow(operand base, operand exponent);
garray maximum(operand a, operand b);
garray minimum(operand a, operand b);
garray where(operand condition, operand a, operand b);

// ---- reductions: over an axis, or over all elements to a 0-d array ----

garray sum(operand a, std::optional<int> axis = {});
garray mean(operand a, std::optional<int> axis = {});
garray max(operand a, std::optional<int> axis = {});
garray min(operand a, std::optional<int> axis = {});
garray prod(operand a, std::optional<int> axis = {});
/// Indices as numbers, so up to 2^24 in float32, beyond which they are refused; of all elements in
/// C order.
garray argmax(operand a, std::optional<int> axis = {});
garray argmin(operand a, std::optional<int> axis = {});
/// The square root of the mean squared difference from the mean (ddof 0).
garray std(operand a, std::optional<int> axis = {});
/// Whether any element is not 0. `all` (index.hpp) is called likewise: all(a), all(a, 0).
garray any(operand a, std::optional<int> axis = {});

/// Running sums along the axis, or of all elements in C order.
garray cumsum(const garray& a, std::optional<int> axis = {}, Where where = Where::current());
/// Ascending along the axis, NaNs last.
garray sort(const garray& a, int axis = -1, Where where = Where::current());
/// Of the elements that are not 0 the indices along each axis, in C order. Waits for the engine.
std::vector<garray> nonzero(const garray& a, Where where = Where::current());

// ---- products ----

/// np.dot: over the last axis of a and the last but one of b (its only one, if 1-D).
garray dot(operand a, operand b);
garray outer(operand a, operand b);
/// np.tensordot over the last `axes` axes of a and the first of b.
garray tensordot(operand a, operand b, int axes = 2);
/// np.tensordot over axes of a and as many of b, pair by pair.
garray tensordot(const garray& a, const garray& b, const std::vector<int>& axes_of_a,
                 const std::vector<int>& axes_of_b, Where where = Where::current());

}  // namespace gnumpy
