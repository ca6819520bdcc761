// Which scalar function an element-wise operation runs on the CPU: the functors of
// cudamat/functors.hpp, with functions that loops turn into vector instructions where the C
// library's scalar ones are slow.
//
//   exp log log1p expm1 erf tanh sigmoid log_1_plus_exp   ours, for float and double (exp_log.hpp)
//   sin cos log2 log10 pow arctan2                    the C library's vector versions (libmvec),
//                                                     where it has them: x86-64 glibc
//   everything else, and long double                  as functors.hpp has it
//
// Include this before the functors are instantiated: the declarations below are what makes a loop
// over std::sin calls of the vector version. Vector and scalar version may differ in the last
// place. So that a value does not depend on where its element stands, loops over these functions
// must always run in whole blocks (map.cpp pads the last one).
#pragma once

#include <cmath>
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
template <>
inline constexpr bool kCallsVectorMath<cudamat::functors::Sin> = true;
template <>
inline constexpr bool kCallsVectorMath<cudamat::functors::Cos> = true;
template <>
inline constexpr bool kCallsVectorMath<cudamat::functors::Log2> = true;
template <>
inline constexpr bool kCallsVectorMath<cudamat::functors::Log10> = true;
template <>
inline constexpr bool kCallsVectorMath<cudamat::functors::Pow> = true;
template <>
inline constexpr bool kCallsVectorMath<cudamat::functors::Arctan2> = true;

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

}  // namespace npmat
