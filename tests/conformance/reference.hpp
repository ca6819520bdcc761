// What the element-wise operations must compute, independently of the library's functors: IEEE
// arithmetic written out for the operations that round once, 113-bit quad precision (libquadmath)
// for the transcendental ones. Compiled once, for the three value types.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "cudamat/op_table.hpp"

namespace conformance {

using cudamat::Op;

/// Wide enough that its own rounding does not show in a result of any value type.
using Wide = __float128;

/// The required result of one element, rounded to T. x, y and alpha are the operands that the
/// family of the row has, in the order of its functor. A row without a case does not compile.
template <class T>
T expected(Op op, T x, T y = T(0), T alpha = T(0));

/// How many units in the last place an engine may differ from expected(): 0 means the same bits.
inline int tolerance(Op op) {
  return cudamat::row(op).ulps();
}

/// Whether the row says what it computes of these operands: rows of whole numbers of those alone.
template <class T>
bool takes(Op op, T x, T y);

/// An argument tuple and its expected result.
template <class T>
struct Sample {
  T x, y, expected;
};

/// Arguments for a row: special values (NaN, infinities, zeros of both signs, subnormals, the ends
/// of the range), every exponent, and the ranges where the functions of the table do something. For
/// rows with two operands all pairs of special values too. `alpha` goes to expected().
template <class T>
std::vector<Sample<T>> samples(Op op, T alpha = T(0));

/// The values that functions treat differently from their neighbours.
template <class T>
const std::vector<T>& special_values();

/// exp(x) in quad precision.
Wide wide_exp(Wide x);
Wide wide_sqrt(Wide x);

/// Bit for bit the same value: zeros differ by sign, NaN equals NaN.
template <class T>
bool same_value(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

/// |got - wanted| in units in the last place of `wanted`; huge if just one is NaN. An infinity
/// stands for the number after the largest finite one.
template <class T>
double ulps_apart(T got, T wanted) {
  using Limits = std::numeric_limits<T>;
  if (same_value(got, wanted)) return 0;
  if (std::isnan(got) || std::isnan(wanted)) return Limits::infinity();
  const auto widen = [](T value) {
    if (!std::isinf(value)) return Wide(value);
    const Wide end =
        Wide(Limits::max()) + Wide(std::ldexp(T(1), Limits::max_exponent - Limits::digits));
    return value > 0 ? end : -end;
  };
  const T finite = std::isinf(wanted) ? Limits::max() : std::abs(wanted);
  const int exponent = finite < Limits::min() ? Limits::min_exponent - 1 : std::ilogb(finite);
  const Wide ulp = Wide(std::ldexp(T(1), exponent - Limits::digits + 1));
  const Wide difference = widen(got) - widen(wanted);
  return static_cast<double>((difference < 0 ? -difference : difference) / ulp);
}

}  // namespace conformance
