// Box and Muller's transformation in straight-line arithmetic, for float and double. Internal.
//
// The C library's log, sin and cos are not used: their last bit differs from machine to machine,
// and between their scalar and their vector versions, while a draw is to depend on seed and
// position alone. What is here and in exp_log.hpp is arithmetic, each operation rounded once, so
// every machine gives the same bits, and loops over it become vector instructions.
//
// Errors, in units in the last place of the result (tests/npmat_random_test.cpp): log and sin, cos
// each below 1.5 on the arguments that occur, a normal below 3.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "npmat/exp_log.hpp"

namespace npmat::detail {

/// How many terms of Taylor's series, and pi/2 as a sum, whose first parts leave room for a product
/// with a small integer.
template <class T>
struct Angles;
template <>
struct Angles<float> {
  static constexpr int kSinTerms = 4, kCosTerms = 5;
  static constexpr float kHalfPi[3] = {0x1.921fbp+0f, 0x1.5110bp-22f, 0x1.184698p-44f};
  static constexpr float kTwoOverPi = 0x1.45f306p-1f;
};
template <>
struct Angles<double> {
  static constexpr int kSinTerms = 7, kCosTerms = 8;
  static constexpr double kHalfPi[3] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
  static constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
};

/// -2 log u for normal u in (0, 1].
template <class T>
inline T minus_two_log(T u) {
  const exp_log::Split<T> split(u);
  return -2 * exp_log::log_of(split.k, split.f, T(0));
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
  using F = Angles<T>;
  using Bits = typename exp_log::Format<T>::Bits;
  constexpr T kToInteger = exp_log::Format<T>::kToInteger;
  const T shifted = w * F::kTwoOverPi + kToInteger;
  const Bits quadrant = std::bit_cast<Bits>(shifted);
  const T k = shifted - kToInteger;
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
