// Box and Muller's transformation in straight-line arithmetic, for float and double. Internal.
//
// The C library's log, sin and cos are not used: their last bit differs from machine to machine,
// and between their scalar and their vector versions, while a draw is to depend on seed and
// position alone. What is here is + - * /, sqrt and bit operations, each rounded to nearest, so
// every machine gives the same bits, and loops over it become vector instructions.
//
// Errors, in units in the last place of the result (tests/npmat_random_test.cpp): log and sin, cos
// each below 1.5 on the arguments that occur, a normal below 3.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace npmat::detail {

template <class T>
struct Format;
template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr int kMantissa = 23, kBias = 127;
  static constexpr int kLogTerms = 5, kSinTerms = 4, kCosTerms = 5;
  // pi/2 and ln 2 as sums; the first parts leave room for a product with a small integer.
  static constexpr float kHalfPi[3] = {0x1.921fbp+0f, 0x1.5110bp-22f, 0x1.184698p-44f};
  static constexpr float kLn2[2] = {0x1.62e4p-1f, 0x1.7f7d1cp-20f};
  static constexpr float kTwoOverPi = 0x1.45f306p-1f;
};
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr int kMantissa = 52, kBias = 1023;
  static constexpr int kLogTerms = 10, kSinTerms = 7, kCosTerms = 8;
  static constexpr double kHalfPi[3] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
  static constexpr double kLn2[2] = {0x1.62e42feep-1, 0x1.a39ef35793c76p-33};
  static constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
};

/// Adding this to a small x leaves the nearest integer to x in the low bits.
template <class T>
inline constexpr T kRounder = T(3) * (std::uint64_t{1} << (Format<T>::kMantissa - 1));

/// -2 log u for normal u in (0, 1]. u = 2^e m with m in [sqrt 1/2, sqrt 2), f = m - 1, and
/// log m = f - s (f - R) with s = f / (2 + f) and R = 2 (s^2/3 + s^4/5 + ...), which is
/// 2 artanh s with its leading term taken exactly.
template <class T>
inline T minus_two_log(T u) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  constexpr Bits kRootHalf = std::bit_cast<Bits>(static_cast<T>(0x1.6a09e667f3bcdp-1L));
  constexpr Bits kExponentMask = ~((Bits{1} << F::kMantissa) - 1);
  // The bias keeps the difference positive: its upper bits are e + kBias.
  const Bits shifted =
      std::bit_cast<Bits>(u) - kRootHalf + (static_cast<Bits>(F::kBias) << F::kMantissa);
  const Bits exponent = shifted >> F::kMantissa;
  const T m = std::bit_cast<T>(std::bit_cast<Bits>(u) - (shifted & kExponentMask) +
                               (static_cast<Bits>(F::kBias) << F::kMantissa));
  constexpr T kTwoToMantissa = static_cast<T>(std::uint64_t{1} << F::kMantissa);
  const T e = std::bit_cast<T>(exponent | std::bit_cast<Bits>(kTwoToMantissa)) -
              (kTwoToMantissa + F::kBias);
  const T f = m - 1, s = f / (2 + f), z = s * s;
  T r = T(2) / (2 * F::kLogTerms + 1);
#pragma GCC unroll 16
  for (int k = F::kLogTerms - 1; k >= 1; --k) r = r * z + T(2) / (2 * k + 1);
  r = r * z;
  return -2 * (e * F::kLn2[0] - ((s * (f - r) - e * F::kLn2[1]) - f));
}

/// Taylor's coefficient 1 / n!, with the sign of the sine's or cosine's term of order n.
template <class T>
constexpr T taylor(int n) {
  long double factorial = 1;
  for (int k = 2; k <= n; ++k) factorial *= k;
  return static_cast<T>((n / 2 % 2 == 0 ? 1.0L : -1.0L) / factorial);
}

/// sin w and cos w for w in [0, 8]: w less the nearest multiple of pi/2, then Taylor's series.
template <class T>
inline void sin_cos(T w, T& sin_w, T& cos_w) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  const T shifted = w * F::kTwoOverPi + kRounder<T>;
  const Bits quadrant = std::bit_cast<Bits>(shifted);
  const T k = shifted - kRounder<T>;
  const T r = ((w - k * F::kHalfPi[0]) - k * F::kHalfPi[1]) - k * F::kHalfPi[2];
  const T z = r * r;
  T s = taylor<T>(2 * F::kSinTerms + 1);
#pragma GCC unroll 16
  for (int i = F::kSinTerms - 1; i >= 1; --i) s = s * z + taylor<T>(2 * i + 1);
  s = r + r * (z * s);
  T c = taylor<T>(2 * F::kCosTerms);
#pragma GCC unroll 16
  for (int i = F::kCosTerms - 1; i >= 2; --i) c = c * z + taylor<T>(2 * i);
  c = 1 - (z / 2 - z * (z * c));
  constexpr int kToSign = static_cast<int>(sizeof(T)) * 8 - 2;  // moves bit 1 to the sign
  const Bits swap = Bits{0} - (quadrant & 1);                   // all ones in odd quadrants
  const Bits sb = std::bit_cast<Bits>(s), cb = std::bit_cast<Bits>(c);
  const Bits exchanged = (sb ^ cb) & swap;
  sin_w = std::bit_cast<T>((sb ^ exchanged) ^ ((quadrant & 2) << kToSign));
  cos_w = std::bit_cast<T>((cb ^ exchanged) ^ (((quadrant + 1) & 2) << kToSign));
}

/// Two normals of the uniform u in (0, 1] and the angle w in (0, 2 pi].
template <class T>
inline void box_muller(T u, T w, T& first, T& second) {
  const T s = std::sqrt(minus_two_log(u));
  T sin_w, cos_w;
  sin_cos(w, sin_w, cos_w);
  first = s * sin_w;
  second = s * cos_w;
}

}  // namespace npmat::detail
