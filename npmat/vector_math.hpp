// The scalar functions of the C library as vector functions: with these declarations a plain loop
// over std::exp, std::log ... becomes calls of the C library's vector versions (libmvec, x86-64
// glibc). Include it before the functors are instantiated. Elsewhere the loops call the scalar
// functions.
//
// A vector function and the scalar one of the same name may differ in the last place. So that a
// value does not depend on where its element stands, loops over these functions must always run in
// whole blocks (map.cpp pads the last one).
#pragma once

#include <cmath>

#include "cudamat/functors.hpp"

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#if __GLIBC_PREREQ(2, 35)
#define NPMAT_VECTOR_MATH 1
#endif
#endif

#ifdef NPMAT_VECTOR_MATH
#define NPMAT_VECTOR __attribute__((simd("notinbranch"), const))
extern "C" {
NPMAT_VECTOR float expf(float) noexcept;
NPMAT_VECTOR double exp(double) noexcept;
NPMAT_VECTOR float logf(float) noexcept;
NPMAT_VECTOR double log(double) noexcept;
NPMAT_VECTOR float tanhf(float) noexcept;
NPMAT_VECTOR double tanh(double) noexcept;
NPMAT_VECTOR float log1pf(float) noexcept;
NPMAT_VECTOR double log1p(double) noexcept;
NPMAT_VECTOR float expm1f(float) noexcept;
NPMAT_VECTOR double expm1(double) noexcept;
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
}
#undef NPMAT_VECTOR
#endif

namespace npmat {

/// Whether a functor calls vector functions, so that its loops must run in whole blocks.
template <class F>
inline constexpr bool kCallsVectorMath = false;

#define NPMAT_CALLS(functor) \
  template <>                \
  inline constexpr bool kCallsVectorMath<cudamat::functors::functor> = true;
NPMAT_CALLS(Sigmoid)
NPMAT_CALLS(Tanh)
NPMAT_CALLS(Exp)
NPMAT_CALLS(Log)
NPMAT_CALLS(Log1PlusExp)
NPMAT_CALLS(Log1p)
NPMAT_CALLS(Expm1)
NPMAT_CALLS(Sin)
NPMAT_CALLS(Cos)
NPMAT_CALLS(Log2)
NPMAT_CALLS(Log10)
NPMAT_CALLS(Pow)
#undef NPMAT_CALLS

}  // namespace npmat
