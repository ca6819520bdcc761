// The scalar functions of the op table: one template each, for host and device. Engines apply them
// to whole matrices. If the C library's function is slow, the CPU engine uses vector code for some
// transcendental functions (npmat/vector_math.hpp).
//
// NaN propagates as in NumPy, also through min, max and sign. Comparisons give 1 or 0, and 0 with
// NaN. + - * / sqrt and comparisons round once (IEEE 754), so their results have the same bits
// everywhere. The error of transcendental functions is bounded by the op table.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "cudamat/host_device.hpp"

namespace cudamat::functors {

/// The row has no scalar function.
struct None {};

// ---- f(x) ----

/// -1, 0 or 1 (0 for either zero); NaN for NaN.
struct Sign {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? T(0) : x;
  }
};

/// The logistic function 1 / (1 + exp(-x)). Written on exp(-|x|), which cannot overflow: the tail
/// keeps its relative accuracy down to the smallest subnormal.
struct Sigmoid {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    const T e = std::exp(-std::abs(x));
    return (x < 0 ? e : T(1)) / (T(1) + e);
  }
};

struct Tanh {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::tanh(x);
  }
};

struct Abs {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::abs(x);
  }
};

struct Exp {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::exp(x);
  }
};

struct Log {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::log(x);
  }
};

/// log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|)): no overflow, no cancellation.
struct Log1PlusExp {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return (x > 0 ? x : T(0)) + std::log1p(std::exp(-std::abs(x)));
  }
};

struct Sqrt {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::sqrt(x);
  }
};

struct Gamma {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::tgamma(x);
  }
};

/// log(|gamma(x)|). The host uses the reentrant form: lgamma() writes a global sign. CUDA's
/// function cancels near its zeros left of -2: for floats double has digits to spare; doubles there
/// are within 16 epsilon of the exact value.
struct Lgamma {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(T) == sizeof(float))
      return x < T(-2) ? T(std::lgamma(double(x))) : std::lgamma(x);
    else
      return std::lgamma(x);
#elif !defined(__GLIBC__)
    return std::lgamma(x);
#else
    int sign = 0;
    if constexpr (sizeof(T) == sizeof(float))
      return ::lgammaf_r(x, &sign);
    else if constexpr (sizeof(T) == sizeof(double))
      return ::lgamma_r(x, &sign);
    else
      return ::lgammal_r(x, &sign);
#endif
  }
};

struct Reciprocal {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return T(1) / x;
  }
};

struct Log1p {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::log1p(x);
  }
};

struct Expm1 {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::expm1(x);
  }
};

struct Sin {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::sin(x);
  }
};

struct Cos {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::cos(x);
  }
};

struct Tan {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::tan(x);
  }
};

/// From -pi / 2 to pi / 2; NaN outside -1 to 1. The same holds for the next one.
struct Arcsin {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::asin(x);
  }
};

struct Arccos {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::acos(x);
  }
};

struct Arctan {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::atan(x);
  }
};

struct Sinh {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::sinh(x);
  }
};

struct Cosh {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::cosh(x);
  }
};

struct Arcsinh {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::asinh(x);
  }
};

/// NaN below 1.
struct Arccosh {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::acosh(x);
  }
};

/// Infinite at -1 and 1, NaN outside.
struct Arctanh {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::atanh(x);
  }
};

/// The cube root, of negative numbers too.
struct Cbrt {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::cbrt(x);
  }
};

/// The error function.
struct Erf {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::erf(x);
  }
};

struct Log2 {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::log2(x);
  }
};

struct Log10 {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::log10(x);
  }
};

/// The largest whole number that is not greater than x; exact, and -0 stays -0. The same holds for
/// the next three.
struct Floor {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::floor(x);
  }
};

/// The smallest whole number that is not less than x.
struct Ceil {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::ceil(x);
  }
};

/// The nearest whole number; halves go to the even number.
struct Rint {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::rint(x);
  }
};

/// x truncated toward zero.
struct Trunc {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return std::trunc(x);
  }
};

struct IsNan {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return T(x != x);
  }
};

struct IsInf {
  template <class T>
  CUDAMAT_HD T operator()(T x) const {
    return T(std::abs(x) == std::numeric_limits<T>::infinity());
  }
};

// ---- f(x, y) ----

struct Add {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    return x + y;
  }
};

struct Subtract {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    return x - y;
  }
};

struct Mult {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    return x * y;
  }
};

struct Divide {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    return x / y;
  }
};

/// The smaller; NaN if either is. Of two equal ones (zeros of different sign) it is y.
struct Minimum {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    const T smaller = x < y ? x : y;
    return x != x ? x : smaller;
  }
};

/// The larger; NaN if either is. Of two equal ones (zeros of different sign) it is y.
struct Maximum {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    const T larger = x > y ? x : y;
    return x != x ? x : larger;
  }
};

struct LessThan {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    return T(x < y);
  }
};

struct GreaterThan {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    return T(x > y);
  }
};

struct Equals {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    return T(x == y);
  }
};

/// x to the power y, like C's pow: pow(x, 0) = pow(1, y) = 1 even for NaN. On a GPU, squares and
/// square roots, which NumPy computes exactly, do not use CUDA's pow, for which pow(9.0, 0.5) is an
/// ulp below 3.
struct Pow {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
#ifdef __CUDA_ARCH__
    if (y == T(2)) return x * x;
    if (y == T(0.5) && x > T(0)) return std::sqrt(x);
#endif
    return std::pow(x, y);
  }
};

/// The angle of the point (y, x), from -pi to pi, like C's atan2: signs of zeros count.
struct Arctan2 {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    return std::atan2(x, y);
  }
};

/// The length of (x, y), without intermediate overflow; infinite if either is, even if the other is
/// NaN.
struct Hypot {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    return std::hypot(x, y);
  }
};

/// x with the sign of y, also for zeros.
struct Copysign {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    return std::copysign(x, y);
  }
};

/// std::fmod(x, y), but for the sign of a zero: exact. Of whole numbers without its loop over their
/// bits: their quotient rounds to a whole number at most one too large.
template <class T>
CUDAMAT_HD T remainder_of(T x, T y) {
  constexpr T kMost = T(std::uint64_t{1} << (std::numeric_limits<T>::digits - 1));
  if (!(std::abs(x) < kMost && std::abs(y) < kMost) || y == 0 ||
      T(static_cast<std::int64_t>(x)) != x || T(static_cast<std::int64_t>(y)) != y)
    return std::fmod(x, y);
  const T rest = x - T(static_cast<std::int64_t>(x / y)) * y;
  if (rest == 0 || (rest < 0) == (x < 0)) return rest;
  return x < 0 ? rest - std::abs(y) : rest + std::abs(y);
}

/// The remainder of x after floor(x / y) times y, like Python's %: with the sign of y, also for
/// zeros; x itself, or y if the signs differ, for an infinite y; NaN for y = 0. The sum
/// rounds once.
struct Mod {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    const T rest = remainder_of(x, y);
    if (rest == 0) return std::copysign(T(0), y);
    return (rest < 0) != (y < 0) ? rest + y : rest;
  }
};

/// x as an integer from -limit to below limit, as C on x86 and NumPy convert it: without the
/// fractional part; -limit for what is beyond them, NaN too. No zero is -0. Exact.
struct ToInt {
  template <class T>
  CUDAMAT_HD T operator()(T x, T limit) const {
    const T whole = std::trunc(x) + T(0);
    return (whole >= -limit) & (whole < limit) ? whole : -limit;
  }
};

/// Python's x // y: the whole number q with q * y + mod(x, y) = x, as far as one is representable
/// (x / y itself for y = 0, NaN for an infinite x).
struct FloorDivide {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    if (y == 0) return x / y;
    const T rest = remainder_of(x, y);
    T quotient = (x - rest) / y;
    if (rest != 0 && (rest < 0) != (y < 0)) quotient = quotient - T(1);
    if (quotient == 0) return std::copysign(T(0), x / y);
    const T below = std::floor(quotient);
    return quotient - below > T(0.5) ? below + T(1) : below;
  }
};

// ---- f(x, y) of integers, which are whole numbers of T ----
// They are exact up to 2^digits. No result is -0. NaN where an operand is not finite. All steps are
// exact and without branches, also where several operations follow each other, so that loops
// become vector instructions.

/// x if it is kept, else 0: by a mask, which compilers do not turn into a branch.
template <class T>
CUDAMAT_HD T kept(T x, bool keep) {
  if constexpr (sizeof(T) > sizeof(double)) {
    return keep ? x : T(0);
  } else {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    return std::bit_cast<T>(std::bit_cast<Bits>(x) & (Bits(0) - Bits(keep)));
  }
}

/// 0, or NaN where it does not hold.
template <class T>
CUDAMAT_HD T nan_unless(bool holds) {
  return kept(std::numeric_limits<T>::quiet_NaN(), !holds);
}

/// The value of the whole number x in a signed integer type with y different values, a power of
/// two: from -y / 2 to below y / 2. x of any size.
struct Wrap {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    const T rest = x - std::trunc(x * (T(1) / y)) * y;
    return rest - kept(y, rest >= y - rest) + kept(y, -rest > y + rest);
  }
};

/// The same in an unsigned type: from 0 to below y.
struct WrapUnsigned {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    const T rest = x - std::trunc(x * (T(1) / y)) * y;
    return rest + kept(y, rest < 0);
  }
};

/// Two whole numbers in two's complement; numbers of 2^digits or more have none.
template <class T>
struct BitPair {
  static constexpr int kDigits = std::numeric_limits<T>::digits;
  using Bits = std::conditional_t<(kDigits < 32), std::int32_t, std::int64_t>;

  CUDAMAT_HD BitPair(T a, T b) {
    constexpr T kBeyond = T(std::uint64_t{1} << (kDigits < 63 ? kDigits : 63));
    holds = (std::abs(a) < kBeyond) & (std::abs(b) < kBeyond);
    x = static_cast<Bits>(kept(a, holds));
    y = static_cast<Bits>(kept(b, holds));
  }
  /// The result of both; NaN where one of them has no bits.
  [[nodiscard]] CUDAMAT_HD T number(Bits bits) const {
    return static_cast<T>(bits) + nan_unless<T>(holds);
  }

  bool holds;
  Bits x, y;
};

/// x & y, x | y and x ^ y.
struct BitAnd {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    const BitPair<T> pair(x, y);
    return pair.number(pair.x & pair.y);
  }
};

struct BitOr {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    const BitPair<T> pair(x, y);
    return pair.number(pair.x | pair.y);
  }
};

struct BitXor {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    const BitPair<T> pair(x, y);
    return pair.number(pair.x ^ pair.y);
  }
};

/// The last 32 bits of x * y, as a signed integer of 32 bits: products that T does not hold.
struct MultInt32 {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    const BitPair<T> pair(x, y);
    return pair.number(static_cast<std::int32_t>(static_cast<std::uint32_t>(pair.x) *
                                                 static_cast<std::uint32_t>(pair.y)));
  }
};

/// The whole number below x * 2^y: x << y or, for y below 0, x >> -y. Of y beyond -100 and 100,
/// which shift everything out of 64 bits, it is as of those.
struct Shift {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    constexpr T kMost = 100;
    const bool is_over = y > kMost, is_under = y < -kMost;
    const T by = kept(y, !(is_over | is_under)) + kept(kMost, is_over) - kept(kMost, is_under);
    return std::floor(x * power_of_two(by)) + nan_unless<T>(y == y);
  }

 private:
  /// 2^y, whose exponent is the last digits of a sum.
  template <class T>
  CUDAMAT_HD static T power_of_two(T y) {
    if constexpr (sizeof(T) > sizeof(double)) {
      return T(power_of_two(static_cast<double>(y)));
    } else {
      using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
      constexpr int kFraction = std::numeric_limits<T>::digits - 1;
      constexpr T kBias =
          T((Bits{3} << (kFraction - 1)) + Bits(std::numeric_limits<T>::max_exponent - 1));
      return std::bit_cast<T>(std::bit_cast<Bits>(T(y + kBias)) << kFraction);
    }
  }
};

/// Python's x % y and x // y of integers; 0 for y = 0, as in NumPy. The quotient of numbers below
/// 2^digits does not round to the next whole number; floats are divided as doubles. NaN where one
/// of them is beyond that.
template <class T>
struct WholeDivision {
  using Wide = std::conditional_t<sizeof(T) == 4, double, T>;

  CUDAMAT_HD WholeDivision(T x, T y) {
    constexpr Wide kBeyond =
        Wide(std::uint64_t{1} << (std::numeric_limits<Wide>::digits - 1)) * Wide(2);
    const Wide a = x, b = y, divisor = b + kept(Wide(1), b == 0);
    const Wide whole = std::trunc(a / divisor), left = a - whole * divisor;
    const bool rounds_down = ((left < 0) & (divisor > 0)) | ((left > 0) & (divisor < 0));
    const Wide none = nan_unless<Wide>((std::abs(a) < kBeyond) & (std::abs(b) < kBeyond));
    rest = static_cast<T>(kept(left + kept(divisor, rounds_down), b != 0) + none);
    quotient = static_cast<T>(kept(whole - kept(Wide(1), rounds_down), b != 0) + none);
  }

  T quotient, rest;
};

struct IntegerMod {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    return WholeDivision<T>(x, y).rest;
  }
};

struct IntegerDivide {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    return WholeDivision<T>(x, y).quotient;
  }
};

/// Shrinks x towards zero by alpha, not past it: sign(x) * max(|x| - alpha, 0).
struct SoftThreshold {
  template <class T>
  CUDAMAT_HD T operator()(T x, T alpha) const {
    const T rest = std::abs(x) - alpha;
    return Sign{}(x) * (rest < 0 ? T(0) : rest);
  }
};

/// x * acts * (1 - acts): the derivative of the logistic unit with activation `acts`, times x.
struct MultBySigmoidDeriv {
  template <class T>
  CUDAMAT_HD T operator()(T x, T acts) const {
    return x * acts * (T(1) - acts);
  }
};

// ---- f(x, y, alpha) ----

/// x + alpha * y, rounded twice (never a fused multiply-add).
struct AddMult {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y, T alpha) const {
    return x + alpha * y;
  }
};

struct SubtractMult {
  template <class T>
  CUDAMAT_HD T operator()(T x, T y, T alpha) const {
    return x - alpha * y;
  }
};

// ---- f(cond, x, y) ----

/// NaN counts as true.
struct Choose {
  template <class T>
  CUDAMAT_HD T operator()(T cond, T x, T y) const {
    return cond != T(0) ? x : y;
  }
};

// ---- reducers: an identity, the contribution of a number, and an associative combination ----

struct Reducer {
  /// The contribution of a value that is already one.
  template <class T>
  CUDAMAT_HD static T term(T x) {
    return x;
  }
};

struct Sum : Reducer {
  template <class T>
  CUDAMAT_HD static constexpr T identity() {
    return T(0);
  }
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    return x + y;
  }
};

struct Prod : Reducer {
  template <class T>
  CUDAMAT_HD static constexpr T identity() {
    return T(1);
  }
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    return x * y;
  }
};

/// Whether any number is not 0, as 1 or 0; NaN is not 0.
struct Any {
  template <class T>
  CUDAMAT_HD static constexpr T identity() {
    return T(0);
  }
  template <class T>
  CUDAMAT_HD static T term(T x) {
    return T(x != 0);
  }
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    return x > y ? x : y;
  }
};

/// Whether all are not 0.
struct All {
  template <class T>
  CUDAMAT_HD static constexpr T identity() {
    return T(1);
  }
  template <class T>
  CUDAMAT_HD static T term(T x) {
    return T(x != 0);
  }
  template <class T>
  CUDAMAT_HD T operator()(T x, T y) const {
    return x < y ? x : y;
  }
};

/// NaN wins over every number. As an index: the first extreme, or the first NaN if there is one.
struct Max : Maximum, Reducer {
  template <class T>
  CUDAMAT_HD static constexpr T identity() {
    return -std::numeric_limits<T>::infinity();
  }
  /// Whether y, which comes later, replaces x.
  template <class T>
  CUDAMAT_HD static bool displaces(T x, T y) {
    return (y > x) | ((y != y) & (x == x));
  }
};

struct Min : Minimum, Reducer {
  template <class T>
  CUDAMAT_HD static constexpr T identity() {
    return std::numeric_limits<T>::infinity();
  }
  template <class T>
  CUDAMAT_HD static bool displaces(T x, T y) {
    return (y < x) | ((y != y) & (x == x));
  }
};

}  // namespace cudamat::functors
