// Standard normals of Philox's words, by Box and Muller's transformation ("A note on the generation
// of random normal deviates", Ann. Math. Stat. 29, 1958) in straight-line arithmetic, for hosts and
// for kernels.
//
// The C library's log, sin and cos are not used, nor CUDA's: their last bits differ from machine to
// machine, and between their scalar and their vector versions, while a draw is to depend on seed
// and position alone. What is here and in log_parts.hpp is arithmetic, each operation rounded once,
// so every machine and both engines give the same bits, and loops over it become vector
// instructions. The pairs and the rounding of uniforms and angles are those of cuRAND's host API:
// with (x, y) the first and the second uniform of a pair, s = sqrt(-2 log x) gives s sin(2 pi y),
// then s cos(2 pi y), the angle rounded to T before its sine is taken.
//
// Errors, in units in the last place of the result (tests/npmat_random_test.cpp): log and sin, cos
// each below 1.5 on the arguments that occur, a normal below 3.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "cudamat/host_device.hpp"
#include "cudamat/log_parts.hpp"
#include "cudamat/philox.hpp"

namespace cudamat {

/// How many terms of Taylor's series, and pi/2 as a sum, whose first parts leave room for a product
/// with a small integer.
template <class T>
struct Angles;
template <>
struct Angles<float> {
  static constexpr int kSinTerms = 4, kCosTerms = 5;
  static constexpr float kHalfPi0 = 0x1.921fbp+0f, kHalfPi1 = 0x1.5110bp-22f,
                         kHalfPi2 = 0x1.184698p-44f;
  static constexpr float kTwoOverPi = 0x1.45f306p-1f;
};
template <>
struct Angles<double> {
  static constexpr int kSinTerms = 7, kCosTerms = 8;
  static constexpr double kHalfPi0 = 0x1.921fb544p+0, kHalfPi1 = 0x1.0b4611a6p-34,
                          kHalfPi2 = 0x1.3198a2e037073p-69;
  static constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
};

/// -2 log u for normal u in (0, 1].
template <class T>
CUDAMAT_HD inline T minus_two_log(T u) {
  const log_parts::Split<T> split(u);
  return -2 * log_parts::log_of(split.k, split.f, T(0));
}

/// Taylor's coefficient 1 / n!, with the sign of the sine's or cosine's term of order n. Factorials
/// up to 18! are doubles.
template <class T>
CUDAMAT_HD constexpr T taylor(int n) {
  double factorial = 1;
  for (int k = 2; k <= n; ++k) factorial *= k;
  return static_cast<T>((n / 2 % 2 == 0 ? 1.0 : -1.0) / factorial);
}

/// c(order) + c(order + 2) z + ... + c(last) z^((last - order) / 2) of these, by Horner's rule.
template <class T, int order, int last>
CUDAMAT_HD inline T taylor_series(T z) {
  constexpr T c = taylor<T>(order);
  if constexpr (order == last)
    return c;
  else
    return taylor_series<T, order + 2, last>(z) * z + c;
}

/// sin w and cos w for w in [0, 8]: w less the nearest multiple of pi/2, then Taylor's series.
template <class T>
CUDAMAT_HD inline void sin_cos(T w, T& sin_w, T& cos_w) {
  using F = Angles<T>;
  using Bits = typename log_parts::Format<T>::Bits;
  constexpr T kToInteger = log_parts::Format<T>::kToInteger;
  const T shifted = w * F::kTwoOverPi + kToInteger;
  const Bits quadrant = std::bit_cast<Bits>(shifted);
  const T k = shifted - kToInteger;
  const T r = ((w - k * F::kHalfPi0) - k * F::kHalfPi1) - k * F::kHalfPi2;
  const T z = r * r;
  const T s = r + r * (z * taylor_series<T, 3, 2 * F::kSinTerms + 1>(z));
  const T c = 1 - (z / 2 - z * (z * taylor_series<T, 4, 2 * F::kCosTerms>(z)));
  constexpr int kToSign = static_cast<int>(sizeof(T)) * 8 - 2;  // moves bit 1 to the sign
  const Bits swap = Bits{0} - (quadrant & 1);                   // all ones in odd quadrants
  const Bits sb = std::bit_cast<Bits>(s), cb = std::bit_cast<Bits>(c);
  const Bits exchanged = (sb ^ cb) & swap;
  sin_w = std::bit_cast<T>((sb ^ exchanged) ^ ((quadrant & 2) << kToSign));
  cos_w = std::bit_cast<T>((cb ^ exchanged) ^ (((quadrant + 1) & 2) << kToSign));
}

/// Two normals of the uniform u in (0, 1] and the angle w in (0, 2 pi].
template <class T>
CUDAMAT_HD inline void box_muller(T u, T w, T& first, T& second) {
  const T s = std::sqrt(minus_two_log(u));
  T sin_w, cos_w;
  sin_cos(w, sin_w, cos_w);
  first = s * sin_w;
  second = s * cos_w;
}

/// Two normals of the words of a pair.
CUDAMAT_HD inline void philox_normals(std::uint32_t x, std::uint32_t y, float& first,
                                      float& second) {
  constexpr float kWordToAngle = 0x1p-32f * 6.2831855f;  // 2 pi / 2^32 as cuRAND rounds it
  box_muller(philox_uniform(x), static_cast<float>(y) * kWordToAngle + kWordToAngle / 2, first,
             second);
}
CUDAMAT_HD inline void philox_normals(std::uint64_t x, std::uint64_t y, double& first,
                                      double& second) {
  constexpr double kPi = 3.14159265358979323846;
  box_muller(philox_uniform(x), philox_uniform(y) * 2 * kPi, first, second);
}

/// The normals of the same counter as the one at `position`, which is number `position % 4` (float)
/// or `position % 2` (double) of them.
template <class T, int kAll>
CUDAMAT_HD inline void philox_normals_of_counter(std::uint64_t seed, std::uint64_t position,
                                                 T (&values)[kAll]) {
  static_assert(kAll == 16 / int{sizeof(T)});
  typename PhiloxBits<T>::Type bits[kAll];
  philox_counter(seed, position, bits);
  for (int i = 0; i < kAll; i += 2) philox_normals(bits[i], bits[i + 1], values[i], values[i + 1]);
}

/// The normals from `position` on, of a stream drawn with T alone: as many as one counter
/// gives (4 floats, 2 doubles), or one. Values 2k and 2k + 1 of the stream are a pair, wherever a
/// draw begins.
template <class T, int kCount>
CUDAMAT_HD inline void philox_normals(std::uint64_t seed, std::uint64_t position,
                                      T (&values)[kCount]) {
  constexpr int kAll = 16 / int{sizeof(T)};
  static_assert(kCount == 1 || kCount == kAll);
  const auto begin = static_cast<int>(position % kAll);
  if constexpr (kCount == 1) {
    T all[kAll];
    philox_normals_of_counter(seed, position, all);
    values[0] = all[0];
    for (int i = 1; i < kAll; ++i)
      if (i == begin) values[0] = all[i];
  } else {
    philox_normals_of_counter(seed, position, values);
    if (begin == 0) return;
    T next[kAll];
    philox_normals_of_counter(seed, position + kAll, next);
    philox_join(values, next, begin);
  }
}

}  // namespace cudamat
