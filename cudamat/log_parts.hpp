// The logarithm in straight-line arithmetic, for hosts and for kernels: each operation is rounded
// once, and where a product and a sum are rounded once together it says so (fma), so every machine
// gives the same bits. What npmat's exponentials and logarithms (npmat/exp_log.hpp) and the random
// normals of both engines (box_muller.hpp) are made of.
//
// log: x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), and with s = f / (2 + f):
// log(1 + f) = 2 atanh(s) = 2s + s R(s^2), written so that f itself is the leading term. R is a
// Chebyshev interpolation of the series, exact to 2^-32 (float) and 2^-60 (double) of the result.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "cudamat/host_device.hpp"

// A call in a loop would keep it from becoming vector instructions.
#ifdef __GNUC__
#define CUDAMAT_STEP_OF_LOG CUDAMAT_HD inline __attribute__((always_inline))
#else
#define CUDAMAT_STEP_OF_LOG CUDAMAT_HD inline
#endif

namespace cudamat::log_parts {

template <class T>
struct Format;

template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr int kDigits = 23;
  static constexpr Bits kBias = 127;
  static constexpr Bits kSqrtHalf = 0x3f3504f3;
  static constexpr float kToInteger = 0x1.8p23f;  ///< adding it rounds to a whole number
  static constexpr float kLn2Hi = 0x1.62e4p-1f;   ///< few digits: k * kLn2Hi is exact
  static constexpr float kLn2Lo = 0x1.7f7d1cp-20f;
  struct Log {
    static constexpr float c[] = {0x1.555556p-1f, 0x1.9999ecp-2f, 0x1.245c44p-2f, 0x1.ddced8p-3f};
  };
};

template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr int kDigits = 52;
  static constexpr Bits kBias = 1023;
  static constexpr Bits kSqrtHalf = 0x3fe6a09e667f3bcd;
  static constexpr double kToInteger = 0x1.8p52;
  static constexpr double kLn2Hi = 0x1.62e42fefa4p-1;
  static constexpr double kLn2Lo = -0x1.8432a1b0e2634p-43;
  struct Log {
    static constexpr double c[] = {0x1.5555555555555p-1, 0x1.9999999999a38p-2, 0x1.2492492476ccbp-2,
                                   0x1.c71c7201592afp-3, 0x1.745cf90485b72p-3, 0x1.3b1c355c49df7p-3,
                                   0x1.0fbe95a8ce3f7p-3, 0x1.0c039e2d97702p-3};
  };
};

/// x * y + z, rounded once: the same bits with and without an instruction for it.
CUDAMAT_STEP_OF_LOG float fma(float x, float y, float z) {
#if defined(__CUDA_ARCH__)
  return ::fmaf(x, y, z);
#else
  return __builtin_fmaf(x, y, z);
#endif
}
CUDAMAT_STEP_OF_LOG double fma(double x, double y, double z) {
#if defined(__CUDA_ARCH__)
  return ::fma(x, y, z);
#else
  return __builtin_fma(x, y, z);
#endif
}

/// x^n for n a power of two.
template <int n, class T>
CUDAMAT_STEP_OF_LOG T power(T x) {
  if constexpr (n == 1)
    return x;
  else
    return power<n / 2>(x) * power<n / 2>(x);
}

/// c[first] + c[first + 1] x + ... of `count` of Series::c: halves side by side (Estrin), since a
/// long chain of dependent operations would wait for itself. Coefficients are named by the type,
/// because a kernel cannot read an array of the host's.
template <class Series, int first, int count, class T>
CUDAMAT_STEP_OF_LOG T polynomial_part(T x) {
  if constexpr (count == 1) {
    constexpr T c = Series::c[first];
    return c;
  } else {
    constexpr int half = int(std::bit_floor(unsigned(count - 1)));
    return fma(polynomial_part<Series, first + half, count - half>(x), power<half>(x),
               polynomial_part<Series, first, half>(x));
  }
}

/// c[0] + c[1] x + c[2] x^2 + ...
template <class Series, class T>
CUDAMAT_STEP_OF_LOG T polynomial(T x) {
  return polynomial_part<Series, 0, int(sizeof(Series::c) / sizeof(T))>(x);
}

/// A positive normal number = 2^k (1 + f).
template <class T>
struct Split {
  T k, f;

  CUDAMAT_STEP_OF_LOG explicit Split(T x) {
    using F = Format<T>;
    using Bits = typename F::Bits;
    constexpr Bits kOne = F::kBias << F::kDigits;
    constexpr T kShift = T(Bits(1) << F::kDigits);
    const Bits bits = std::bit_cast<Bits>(x) + (kOne - F::kSqrtHalf);
    const Bits exponent = (bits >> F::kDigits) | std::bit_cast<Bits>(kShift);
    k = std::bit_cast<T>(exponent) - (kShift + T(F::kBias));
    f = std::bit_cast<T>((bits & ((Bits(1) << F::kDigits) - 1)) + F::kSqrtHalf) - T(1);
  }
};

/// k ln 2 + log(1 + f) + c for a small correction c.
template <class T>
CUDAMAT_STEP_OF_LOG T log_of(T k, T f, T c) {
  using F = Format<T>;
  const T s = f / (T(2) + f);
  const T z = s * s;
  const T square = T(0.5) * f * f;
  const T tail = fma(s, fma(z, polynomial<typename F::Log>(z), square), fma(k, F::kLn2Lo, c));
  return fma(k, F::kLn2Hi, f - (square - tail));
}

}  // namespace cudamat::log_parts

#undef CUDAMAT_STEP_OF_LOG
