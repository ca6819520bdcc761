// exp, log and others for float and double, without branches or tables: a loop over them becomes
// vector instructions. Where a product and a sum are rounded once it says so (fma), on every
// machine alike: an element gets the same bits everywhere, alone or in a vector. Measured against
// long double, errors are below 1.1 units in the last place for exp, log and log1p, 1.7 for
// log_1_plus_exp and erf, 2.1 for expm1 and 2.6 for tanh and sigmoid, subnormal results included.
// Infinities, NaN and signed zeros are as in C.
//
// exp: x = k ln 2 + r with |r| <= ln(2)/2, e^r = 1 + r + r^2 P(r), where P is a Chebyshev
// interpolation of the series, exact to 2^-32 (float) and 2^-60 (double) of the result. log:
// cudamat/log_parts.hpp.
//
// erf: x + x E(x^2) below some 1, as K. C. Ng has it (fdlibm, 1989); above it 1 - e^(x L(x)), where
// x L(x) is log(erfc(x)): a smooth function without cancellation in its polynomial, and the
// smaller erfc is, the fewer of its places count. E and L are minimax polynomials of erf(x) / x - 1
// and log(erfc(x)) / x for the relative error of erf, our own fits by Lawson's iterated least
// squares (1961) in 50 digits: exact to 2^-31 and 2^-32 for float, 2^-62 and 2^-61 for double.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "cudamat/log_parts.hpp"

// A call in a loop would keep it from becoming vector instructions.
#ifdef __GNUC__
#define NPMAT_INLINE inline __attribute__((always_inline))
#else
#define NPMAT_INLINE inline
#endif

namespace npmat::exp_log {

template <class T>
struct Format;

template <>
struct Format<float> : cudamat::log_parts::Format<float> {
  static constexpr float kInvLn2 = 0x1.715476p+0f;
  static constexpr float kExpMost = 89, kExpLeast = -104;  ///< beyond: infinity, zero
  static constexpr float kExpm1Least = -18;                ///< below: -1
  static constexpr float kTanhMost = 10;                   ///< above: 1
  static constexpr float kErfSmall = 0x1.d8p-1f;           ///< below: kErf, above: kLogErfc
  static constexpr float kErfMost = 4;                     ///< above: 1
  struct Exp {
    static constexpr float c[] = {0x1p-1f,        0x1.555556p-3f,  0x1.5554eap-5f,
                                  0x1.1110e0p-7f, 0x1.6d4324p-10f, 0x1.a124f2p-13f};
  };
  struct Erf {
    static constexpr float c[] = {0x1.06eba8p-3f, -0x1.812744p-2f,  0x1.ce2e2p-4f,  -0x1.b8107ep-6f,
                                  0x1.54daf8p-8f, -0x1.aaea96p-11f, 0x1.5f14a8p-14f};
  };
  struct LogErfc {
    static constexpr float c[] = {-0x1.20e8dap+0f, -0x1.456fep-1f,  -0x1.af3494p-4f,
                                  0x1.73b46ap-6f,  -0x1.812074p-9f, 0x1.b918bp-15f,
                                  0x1.7956c6p-15f, -0x1.480a76p-18f};
  };
};

template <>
struct Format<double> : cudamat::log_parts::Format<double> {
  static constexpr double kInvLn2 = 0x1.71547652b82fep+0;
  static constexpr double kExpMost = 710, kExpLeast = -746;
  static constexpr double kExpm1Least = -40;
  static constexpr double kTanhMost = 20;
  static constexpr double kErfSmall = 1;
  static constexpr double kErfMost = 6;
  struct Exp {
    static constexpr double c[] = {0x1p-1,
                                   0x1.5555555555557p-3,
                                   0x1.5555555555556p-5,
                                   0x1.11111111100dcp-7,
                                   0x1.6c16c16c162d4p-10,
                                   0x1.a01a01abe7fe1p-13,
                                   0x1.a01a01a6d889cp-16,
                                   0x1.71de0231960ebp-19,
                                   0x1.27e4db646b17ep-22,
                                   0x1.af4de97ca4194p-26,
                                   0x1.1f730349868cep-29};
  };
  struct Erf {
    static constexpr double c[] = {
        0x1.06eba8214db69p-3,   -0x1.812746b0379e6p-2,  0x1.ce2f21a042b21p-4,
        -0x1.b82ce312849abp-6,  0x1.565bcd0db0539p-8,   -0x1.c02db3d8f3f86p-11,
        0x1.f9a321a1e7f02p-14,  -0x1.f4d1df48a0b9dp-17, 0x1.b9def264111bdp-20,
        -0x1.5f1d3d5936e2fp-23, 0x1.f7a45936940c0p-27,  -0x1.386b9c599e22ep-30,
        0x1.057bfbd9d9e51p-34};
  };
  struct LogErfc {
    static constexpr double c[] = {
        -0x1.20dd759774140p+0,  -0x1.45f2f913eb7e5p-1,  -0x1.a4f74f03b88c2p-4,
        0x1.398897de56d8ap-6,   0x1.8cbe20c2094bfp-13,  -0x1.b304dab863d56p-10,
        0x1.1a0f845f91df5p-11,  0x1.11af263ccce82p-15,  -0x1.eb18bad7f2e70p-14,
        0x1.1c4a0bd7bb341p-14,  -0x1.aaec8fd37974ap-16, 0x1.df934f3849de8p-18,
        -0x1.a28ca82521b22p-20, 0x1.1d157d701b939p-22,  -0x1.2abeb7c28e664p-25,
        0x1.d24216f00b425p-29,  -0x1.fed560bff9497p-33, 0x1.5e965a73c0bc3p-37,
        -0x1.c57ecfdfa5608p-43};
  };
};

using cudamat::log_parts::fma;
using cudamat::log_parts::log_of;
using cudamat::log_parts::polynomial;
using cudamat::log_parts::Split;

/// |x|, and |x| with the sign of another.
template <class T>
NPMAT_INLINE T magnitude(T x) {
  using Bits = typename Format<T>::Bits;
  return std::bit_cast<T>(std::bit_cast<Bits>(x) & (~Bits(0) >> 1));
}

template <class T>
NPMAT_INLINE T with_sign(T x, T sign) {
  using Bits = typename Format<T>::Bits;
  return std::bit_cast<T>(std::bit_cast<Bits>(x) | (std::bit_cast<Bits>(sign) & ~(~Bits(0) >> 1)));
}

/// x within a bound; NaN stays. Not both bounds of one x: of a choice within a choice compilers
/// make twice as many instructions.
template <class T>
NPMAT_INLINE T at_least(T least, T x) {
  return x < least ? least : x;
}
template <class T>
NPMAT_INLINE T at_most(T most, T x) {
  return x > most ? most : x;
}

/// 2^(n - kBias), n being the number in the lowest bits, within the exponent's range.
template <class T>
NPMAT_INLINE T power_of_two(typename Format<T>::Bits n) {
  return std::bit_cast<T>(n << Format<T>::kDigits);
}

/// x = k ln 2 + r; q = e^r - 1; the lowest bits of `shifted` are k + kShift, for power_of_two.
template <class T, typename Format<T>::Bits kShift>
struct Reduced {
  T k, q;
  typename Format<T>::Bits shifted;

  NPMAT_INLINE explicit Reduced(T x) {
    using F = Format<T>;
    constexpr T kRound = F::kToInteger + T(kShift);
    const T rounded = fma(x, F::kInvLn2, kRound);
    shifted = std::bit_cast<typename F::Bits>(rounded);
    k = rounded - kRound;
    const T r = fma(-k, F::kLn2Lo, fma(-k, F::kLn2Hi, x));
    q = fma(r * r, polynomial<typename F::Exp>(r), r);
  }
};

/// e^x between kExpLeast, where it is 0, and kExpMost, where it is infinite; rounded once even
/// where it is subnormal: 2^k is out of range then, but two factors are not.
template <class T>
NPMAT_INLINE T exp_inside(T x) {
  const Reduced<T, 2 * Format<T>::kBias> e(x);
  const auto half = e.shifted / 2;
  return (T(1) + e.q) * power_of_two<T>(half) * power_of_two<T>(e.shifted - half);
}

template <class T>
NPMAT_INLINE T exp(T x) {
  using F = Format<T>;
  const T result = exp_inside(at_least(F::kExpLeast, x));
  return x > F::kExpMost ? std::numeric_limits<T>::infinity() : result;
}

/// e^x for x <= 0.
template <class T>
NPMAT_INLINE T exp_of_negative(T x) {
  return exp_inside(at_least(Format<T>::kExpLeast, x));
}

/// e^x where it is neither subnormal nor infinite.
template <class T>
NPMAT_INLINE T exp_of_moderate(T x) {
  const Reduced<T, Format<T>::kBias> e(x);
  return (T(1) + e.q) * power_of_two<T>(e.shifted);
}

/// e^x - 1 for 0 <= x <= 2 kTanhMost.
template <class T>
NPMAT_INLINE T expm1_of_moderate(T x) {
  const Reduced<T, Format<T>::kBias> e(x);
  const T power = power_of_two<T>(e.shifted);
  return fma(power, e.q, power - T(1));
}

template <class T>
NPMAT_INLINE T expm1(T x) {
  using F = Format<T>;
  const Reduced<T, F::kBias - 1> e(at_least(F::kExpm1Least, x));
  // Half of the result first: 2^k may be out of range.
  const T power = power_of_two<T>(e.shifted);
  T result = fma(power, e.q, power - T(0.5)) * T(2);
  result = e.k == T(0) ? with_sign(magnitude(e.q), x) : result;
  return x > F::kExpMost ? std::numeric_limits<T>::infinity() : result;
}

template <class T>
NPMAT_INLINE T tanh(T x) {
  using F = Format<T>;
  const T a = at_most(F::kTanhMost, magnitude(x));
  const T e = expm1_of_moderate(a + a);
  return with_sign(e / (e + T(2)), x);
}

/// 1 / (1 + e^-x), on e^-|x|: the tail keeps its relative accuracy.
template <class T>
NPMAT_INLINE T sigmoid(T x) {
  const T e = exp_of_negative(-magnitude(x));
  return (x < T(0) ? e : T(1)) / (T(1) + e);
}

/// erf for small |x| and 1 - erfc for the others, a = |x|.
template <class T>
NPMAT_INLINE T erf(T x) {
  using F = Format<T>;
  const T a = at_most(F::kErfMost, magnitude(x));
  const T small = fma(a, polynomial<typename F::Erf>(a * a), a);
  const T large = T(1) - exp_of_moderate(a * polynomial<typename F::LogErfc>(a));
  return with_sign(a < F::kErfSmall ? small : large, x);
}

/// What log gives where its argument x is not a positive finite number: -inf, NaN, inf.
template <class T>
NPMAT_INLINE T at_the_edges(T x, T result) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  result = x == kInfinity ? x : result;
  result = x == T(0) ? -kInfinity : result;
  return x >= T(0) ? result : std::numeric_limits<T>::quiet_NaN();
}

template <class T>
NPMAT_INLINE T log(T x) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  // Subnormal numbers are scaled. (Masks: for a choice of factors the compiler does all twice.)
  const Bits subnormal = x < std::numeric_limits<T>::min() ? ~Bits(0) : Bits(0);
  const Bits factor = (F::kBias + (subnormal & F::kDigits)) << F::kDigits;
  const T offset = std::bit_cast<T>(subnormal & std::bit_cast<Bits>(T(F::kDigits)));
  const Split<T> split(x * std::bit_cast<T>(factor));
  return at_the_edges(x, log_of(split.k - offset, split.f, T(0)));
}

/// log(1 + x) for finite x > -1, given u = 1 + x and what that sum lost.
template <class T>
NPMAT_INLINE T log1p_inside(T x, T u, T lost) {
  const Split<T> split(u);
  const T f = split.k == T(0) ? x : split.f;
  const T c = split.k == T(0) ? T(0) : lost / u;
  return log_of(split.k, f, c);
}

template <class T>
NPMAT_INLINE T log1p(T x) {
  const T u = T(1) + x;
  const T lost = x > T(1) ? T(1) - (u - x) : x - (u - T(1));
  const T result = at_the_edges(u, log1p_inside(x, u, lost));
  // x itself where x^2 is lost in rounding; it keeps the sign of zero.
  return magnitude(x) < std::numeric_limits<T>::epsilon() / 4 ? x : result;
}

/// log(1 + e^x) = max(x, 0) + log1p(e^-|x|).
template <class T>
NPMAT_INLINE T log_1_plus_exp(T x) {
  const T e = exp_of_negative(-magnitude(x));
  const T u = T(1) + e;
  return (x > T(0) ? x : T(0)) + log1p_inside(e, u, e - (u - T(1)));
}

}  // namespace npmat::exp_log

#undef NPMAT_INLINE
