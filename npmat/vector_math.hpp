// Which scalar function an element-wise operation runs on the CPU: the functors of
// cudamat/functors.hpp, with functions that loops turn into vector instructions where the C
// library's scalar ones are slow.
//
//   exp log log1p expm1 erf tanh sigmoid log_1_plus_exp   ours, for float and double (exp_log.hpp)
//   sin cos tan, their inverses, sinh cosh, their     the C library's vector versions (libmvec),
//   inverses and that of tanh, cbrt log2 log10 pow    where it has them: x86-64 glibc
//   hypot                                             ours, for float and double
//   mod floor_divide                                  ours, where the second operand is a power of
//                                                     two: the same bits
//   everything else, and long double                  as functors.hpp has it
//
// Include this before the functors are instantiated: the declarations below are what makes a loop
// over std::sin calls of the vector version. Vector and scalar version may differ in the last
// place. So that a value does not depend on where its element stands, loops over these functions
// must always run in whole blocks (map.cpp pads the last one).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "cudamat/functors.hpp"
#include "npmat/exp_log.hpp"

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#if __GLIBC_PREREQ(2, 35)
#define NPMAT_VECTOR __attribute__((simd("notinbranch"), const))
extern "C" {
NPMAT_VECTOR float sinf(float) noexcept;
NPMAT_VECTOR double sin(double) noexcept;
NPMAT_VECTOR float cosf(float) noexcept;
NPMAT_VECTOR double cos(double) noexcept;
NPMAT_VECTOR float log2f(float) noexcept;
NPMAT_VECTOR double log2(double) noexcept;
NPMAT_VECTOR float log10f(float) noexcept;
NPMAT_VECTOR double log10(double) noexcept;
NPMAT_VECTOR float tanf(float) noexcept;
NPMAT_VECTOR double tan(double) noexcept;
NPMAT_VECTOR float asinf(float) noexcept;
NPMAT_VECTOR double asin(double) noexcept;
NPMAT_VECTOR float acosf(float) noexcept;
NPMAT_VECTOR double acos(double) noexcept;
NPMAT_VECTOR float atanf(float) noexcept;
NPMAT_VECTOR double atan(double) noexcept;
NPMAT_VECTOR float sinhf(float) noexcept;
NPMAT_VECTOR double sinh(double) noexcept;
NPMAT_VECTOR float coshf(float) noexcept;
NPMAT_VECTOR double cosh(double) noexcept;
NPMAT_VECTOR float asinhf(float) noexcept;
NPMAT_VECTOR double asinh(double) noexcept;
NPMAT_VECTOR float acoshf(float) noexcept;
NPMAT_VECTOR double acosh(double) noexcept;
NPMAT_VECTOR float atanhf(float) noexcept;
NPMAT_VECTOR double atanh(double) noexcept;
NPMAT_VECTOR float cbrtf(float) noexcept;
NPMAT_VECTOR double cbrt(double) noexcept;
NPMAT_VECTOR float powf(float, float) noexcept;
NPMAT_VECTOR double pow(double, double) noexcept;
NPMAT_VECTOR float atan2f(float, float) noexcept;
NPMAT_VECTOR double atan2(double, double) noexcept;
}
#undef NPMAT_VECTOR
#endif
#endif

namespace npmat {

/// Whether a functor may call vector functions, so that its loops must run in whole blocks.
template <class F>
inline constexpr bool kCallsVectorMath = false;
#define NPMAT_CALLS(functor) \
  template <>                \
  inline constexpr bool kCallsVectorMath<cudamat::functors::functor> = true;
NPMAT_CALLS(Sin)
NPMAT_CALLS(Cos)
NPMAT_CALLS(Tan)
NPMAT_CALLS(Arcsin)
NPMAT_CALLS(Arccos)
NPMAT_CALLS(Arctan)
NPMAT_CALLS(Sinh)
NPMAT_CALLS(Cosh)
NPMAT_CALLS(Arcsinh)
NPMAT_CALLS(Arccosh)
NPMAT_CALLS(Arctanh)
NPMAT_CALLS(Cbrt)
NPMAT_CALLS(Log2)
NPMAT_CALLS(Log10)
NPMAT_CALLS(Pow)
NPMAT_CALLS(Arctan2)
#undef NPMAT_CALLS

/// The functor that runs in the place of F.
template <class F>
struct OnCpu {
  using Type = F;
};

#define NPMAT_OURS(functor, function)               \
  struct Cpu##functor {                             \
    template <class T>                              \
    T operator()(T x) const {                       \
      if constexpr (std::is_same_v<T, long double>) \
        return cudamat::functors::functor{}(x);     \
      else                                          \
        return exp_log::function(x);                \
    }                                               \
  };                                                \
  template <>                                       \
  struct OnCpu<cudamat::functors::functor> {        \
    using Type = Cpu##functor;                      \
  };
NPMAT_OURS(Exp, exp)
NPMAT_OURS(Log, log)
NPMAT_OURS(Log1p, log1p)
NPMAT_OURS(Expm1, expm1)
NPMAT_OURS(Tanh, tanh)
NPMAT_OURS(Erf, erf)
NPMAT_OURS(Sigmoid, sigmoid)
NPMAT_OURS(Log1PlusExp, log_1_plus_exp)
#undef NPMAT_OURS

/// functors::Hypot in vector instructions: the squares of numbers that a power of two scales, which
/// neither overflow nor, where they count, underflow.
struct CpuHypot {
  template <class T>
  T operator()(T x, T y) const {
    if constexpr (std::is_same_v<T, long double>) {
      return cudamat::functors::Hypot{}(x, y);
    } else {
      constexpr bool kIsFloat = sizeof(T) == 4;
      constexpr T kFar = kIsFloat ? T(0x1p60) : T(0x1p500);
      constexpr T kScale = kIsFloat ? T(0x1p90) : T(0x1p600);
      const T a = std::abs(x), b = std::abs(y), most = a > b ? a : b;
      const T scale = most > kFar ? 1 / kScale : most < 1 / kFar ? kScale : T(1);
      const T back = most > kFar ? kScale : most < 1 / kFar ? 1 / kScale : T(1);
      const T length = std::sqrt(a * scale * (a * scale) + b * scale * (b * scale)) * back;
      constexpr T kInfinity = std::numeric_limits<T>::infinity();
      return (a == kInfinity) | (b == kInfinity) ? kInfinity : length;
    }
  }
};
template <>
struct OnCpu<cudamat::functors::Hypot> {
  using Type = CpuHypot;
};

// Remainders of powers of two, without a loop over bits: all steps are exact, and vector
// instructions.

template <class T>
constexpr bool is_power_of_two(T y) {
  if constexpr (std::is_same_v<T, long double>) return false;
  if (!(y >= T(1) && y <= T(0x1p62))) return false;
  const auto whole = static_cast<std::uint64_t>(y);
  return static_cast<T>(whole) == y && (whole & (whole - 1)) == 0;
}

/// The functors for such a second operand.
struct ModByPower {
  template <class T>
  T operator()(T x, T y) const {
    const T rest = x - std::trunc(x * (T(1) / y)) * y;
    return rest < 0 ? rest + y : rest;
  }
};
struct FloorDivideByPower {
  template <class T>
  T operator()(T x, T y) const {
    const T quotient = std::trunc(x * (T(1) / y)), rest = x - quotient * y;
    return rest < 0 ? quotient - T(1) : rest >= 0 ? quotient : rest;
  }
};
/// What F is for them; void for others.
template <class F>
struct ByPower {
  using Type = void;
};

#define NPMAT_BY_POWER(functor)                                                                  \
  template <>                                                                                    \
  struct ByPower<cudamat::functors::functor> {                                                   \
    using Type = functor##ByPower;                                                               \
  };                                                                                             \
  struct Cpu##functor {                                                                          \
    template <class T>                                                                           \
    T operator()(T x, T y) const {                                                               \
      return is_power_of_two(y) ? functor##ByPower{}(x, y) : cudamat::functors::functor{}(x, y); \
    }                                                                                            \
  };                                                                                             \
  template <>                                                                                    \
  struct ByPower<Cpu##functor> : ByPower<cudamat::functors::functor> {};                         \
  template <>                                                                                    \
  struct OnCpu<cudamat::functors::functor> {                                                     \
    using Type = Cpu##functor;                                                                   \
  };
NPMAT_BY_POWER(Mod)
NPMAT_BY_POWER(FloorDivide)
#undef NPMAT_BY_POWER

}  // namespace npmat
