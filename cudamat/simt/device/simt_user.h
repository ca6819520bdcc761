// Before a user's kernels: CUDA C++ as C++, whose loads and stores are made known to the program
// that executes it. The compiler's option -fsanitize=thread puts a call before each of them; the
// functions that it calls are here, not ThreadSanitizer's.
#pragma once

// The C library's headers define no functions of their own: simt_user_end.h has putchar().
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1
#endif

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIMT_USER
// Functions whose own accesses are not looked at.
#ifdef __clang__
#define SIMT_UNSEEN disable_sanitizer_instrumentation
#else
#define SIMT_UNSEEN no_sanitize("thread")
#endif
#define SIMT_PLAIN __attribute__((noinline, SIMT_UNSEEN))
#define SIMT_ATOMIC SIMT_PLAIN inline
#define SIMT_TOUCH(address, what) \
  simt::touch_atomically(address, sizeof *(address), simt::Touch::what, __builtin_return_address(0))

namespace simt {
struct Host;
extern const Host* host;
enum class Touch : int;  // simt_device.h
void touch_atomically(const void* data, unsigned long bytes, Touch what, const void* code);
}  // namespace simt

#include "simt_host.h"

// What the block shares is far apart, so that no index leads from one array into the next.
#define SIMT_APART __attribute__((used, aligned(65536)))
#define SIMT_SHARED_BYTES 49152
#define __shared__ static SIMT_APART
#define __constant__ SIMT_APART
extern "C" char simt_dynamic[SIMT_SHARED_BYTES];
#define __managed__
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#undef __device__
#define __device__

namespace simt {

SIMT_PLAIN __attribute__((const)) inline uint3 thread_index() {
  return *host->thread;
}
SIMT_PLAIN __attribute__((const)) inline uint3 block_index() {
  return *host->block;
}
SIMT_PLAIN __attribute__((const)) inline uint3 block_extent() {
  return {host->block_dim->x, host->block_dim->y, host->block_dim->z};
}
SIMT_PLAIN __attribute__((const)) inline uint3 grid_extent() {
  return {host->grid_dim->x, host->grid_dim->y, host->grid_dim->z};
}

SIMT_PLAIN inline std::uint64_t warp_call(WarpOp op, unsigned mask, std::uint64_t value,
                                          int operand, int width, const Place& place) {
  return host->warp_call(op, mask, value, operand, width, place);
}
SIMT_PLAIN inline unsigned vote(bool mine, const Place& place) {
  return host->barrier(mine, place);
}
SIMT_PLAIN inline void block_barrier(const Place& place) {
  host->barrier(false, place);
}
SIMT_PLAIN inline void touch_atomically(const void* data, unsigned long bytes, Touch what,
                                        const void* code) {
  if (reinterpret_cast<std::uintptr_t>(data) % bytes != 0)
    host->misaligned(data, bytes, what, code);
  host->touch(data, bytes, what, code);
}
SIMT_PLAIN inline void fence() {
  host->fence();
}
SIMT_PLAIN inline void fail_assertion(const char* text, const Place& place) {
  host->fail(text, place);
}

}  // namespace simt

#define threadIdx (simt::thread_index())
#define blockIdx (simt::block_index())
#define blockDim (simt::block_extent())
#define gridDim (simt::grid_extent())

#undef assert
#define assert(condition) \
  ((condition)            \
       ? (void)0          \
       : simt::fail_assertion("assertion `" #condition "' failed", simt::Place::current()))

// ---- synchronisation ----

inline int __syncthreads_count(int predicate, const simt::Place& place = simt::Place::current()) {
  return static_cast<int>(simt::vote(predicate != 0, place));
}
inline int __syncthreads_or(int predicate, const simt::Place& place = simt::Place::current()) {
  return simt::vote(predicate != 0, place) != 0;
}
inline int __syncthreads_and(int predicate, const simt::Place& place = simt::Place::current()) {
  return simt::vote(predicate == 0, place) == 0;
}
inline void __threadfence() {
  simt::fence();
}
inline void __threadfence_block() {
  simt::fence();
}
inline void __threadfence_system() {
  simt::fence();
}

// ---- atomics beyond those of simt_device.h ----

SIMT_ATOMIC_RMW(atomicAdd, float, old + value)
SIMT_ATOMIC_RMW(atomicAdd, double, old + value)
SIMT_ATOMIC_EXCHANGE(float)
SIMT_ATOMIC_RMW(atomicInc, unsigned, old >= value ? 0 : old + 1)
SIMT_ATOMIC_RMW(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)
SIMT_ATOMIC_RMW(atomicMin, long long, value < old ? value : old)
SIMT_ATOMIC_RMW(atomicMax, long long, old < value ? value : old)
#define SIMT_ATOMIC_BITS(T)                 \
  SIMT_ATOMIC_RMW(atomicAnd, T, old& value) \
  SIMT_ATOMIC_RMW(atomicOr, T, old | value) \
  SIMT_ATOMIC_RMW(atomicXor, T, old ^ value)
SIMT_ATOMIC_BITS(int)
SIMT_ATOMIC_BITS(unsigned)
SIMT_ATOMIC_BITS(unsigned long long)
SIMT_ATOMIC_RMW(atomicSub, int, old - value)
SIMT_ATOMIC_RMW(atomicSub, unsigned, old - value)

// ---- vectors ----

#define SIMT_VECTORS(T, name, align2, align4)         \
  struct name##1 {                                    \
    T x;                                              \
  };                                                  \
  struct __align__(align2) name##2 {                  \
    T x, y;                                           \
  };                                                  \
  struct __align__(align4) name##4 {                  \
    T x, y, z, w;                                     \
  };                                                  \
  inline name##1 make_##name##1(T x) {                \
    return {x};                                       \
  }                                                   \
  inline name##2 make_##name##2(T x, T y) {           \
    return {x, y};                                    \
  }                                                   \
  inline name##4 make_##name##4(T x, T y, T z, T w) { \
    return {x, y, z, w};                              \
  }
#define SIMT_VECTOR3(T, name)                    \
  struct name##3 {                               \
    T x, y, z;                                   \
  };                                             \
  inline name##3 make_##name##3(T x, T y, T z) { \
    return {x, y, z};                            \
  }
SIMT_VECTORS(char, char, 2, 4)
SIMT_VECTORS(unsigned char, uchar, 2, 4)
SIMT_VECTORS(short, short, 4, 8)
SIMT_VECTORS(unsigned short, ushort, 4, 8)
SIMT_VECTORS(int, int, 8, 16)
SIMT_VECTORS(unsigned, uint, 8, 16)
SIMT_VECTORS(float, float, 8, 16)
SIMT_VECTORS(long long, longlong, 16, 16)
SIMT_VECTORS(unsigned long long, ulonglong, 16, 16)
SIMT_VECTORS(double, double, 16, 16)
SIMT_VECTOR3(char, char)
SIMT_VECTOR3(unsigned char, uchar)
SIMT_VECTOR3(short, short)
SIMT_VECTOR3(unsigned short, ushort)
SIMT_VECTOR3(int, int)
SIMT_VECTOR3(float, float)
SIMT_VECTOR3(double, double)
inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) {
  return {x, y, z};
}

// ---- functions ----

#define SIMT_LEAST(T)      \
  inline T min(T a, T b) { \
    return b < a ? b : a;  \
  }                        \
  inline T max(T a, T b) { \
    return a < b ? b : a;  \
  }
SIMT_LEAST(int)
SIMT_LEAST(unsigned)
SIMT_LEAST(long)
SIMT_LEAST(unsigned long)
SIMT_LEAST(long long)
SIMT_LEAST(unsigned long long)
// Of whole numbers of two types: in the type that C++ computes a + b in.
template <class SimtA, class SimtB>
concept SimtTwoKinds =
    std::is_integral_v<SimtA> && std::is_integral_v<SimtB> && !std::is_same_v<SimtA, SimtB>;
template <class SimtA, class SimtB>
requires SimtTwoKinds<SimtA, SimtB>
inline auto min(SimtA a, SimtB b) {
  return min(decltype(a + b)(a), decltype(a + b)(b));
}
template <class SimtA, class SimtB>
requires SimtTwoKinds<SimtA, SimtB>
inline auto max(SimtA a, SimtB b) {
  return max(decltype(a + b)(a), decltype(a + b)(b));
}
inline float min(float a, float b) {
  return fminf(a, b);
}
inline float max(float a, float b) {
  return fmaxf(a, b);
}
inline double min(double a, double b) {
  return fmin(a, b);
}
inline double max(double a, double b) {
  return fmax(a, b);
}
inline double min(float a, double b) {
  return fmin(a, b);
}
inline double max(float a, double b) {
  return fmax(a, b);
}
inline double min(double a, float b) {
  return fmin(a, b);
}
inline double max(double a, float b) {
  return fmax(a, b);
}

inline float rsqrtf(float x) {
  return 1.0F / sqrtf(x);
}
inline double rsqrt(double x) {
  return 1.0 / sqrt(x);
}
inline float rsqrt(float x) {
  return rsqrtf(x);
}
inline float __fdividef(float a, float b) {
  return a / b;
}
inline float __expf(float x) {
  return expf(x);
}
inline float __exp10f(float x) {
  return powf(10.0F, x);
}
inline float __logf(float x) {
  return logf(x);
}
inline float __log2f(float x) {
  return log2f(x);
}
inline float __log10f(float x) {
  return log10f(x);
}
inline float __sinf(float x) {
  return sinf(x);
}
inline float __cosf(float x) {
  return cosf(x);
}
inline float __tanf(float x) {
  return tanf(x);
}
inline float __powf(float x, float y) {
  return powf(x, y);
}
inline float __saturatef(float x) {
  return x > 0 ? (x < 1 ? x : 1.0F) : 0.0F;
}
inline float __fadd_rn(float a, float b) {
  return a + b;
}
inline float __fmul_rn(float a, float b) {
  return a * b;
}
inline float __fdiv_rn(float a, float b) {
  return a / b;
}
inline float __fsqrt_rn(float x) {
  return sqrtf(x);
}
inline float __fmaf_rn(float a, float b, float c) {
  return fmaf(a, b, c);
}
inline double __dadd_rn(double a, double b) {
  return a + b;
}
inline double __dmul_rn(double a, double b) {
  return a * b;
}
inline float normcdff(float x) {
  return 0.5F * erfcf(-x * 0.70710678F);
}
inline double normcdf(double x) {
  return 0.5 * erfc(-x * 0.70710678118654752440);
}
// Those of the C library would store unseen.
__forceinline__ void simt_sincosf(float x, float* s, float* c) {
  *s = sinf(x);
  *c = cosf(x);
}
__forceinline__ void simt_sincos(double x, double* s, double* c) {
  *s = sin(x);
  *c = cos(x);
}
#define sincosf simt_sincosf
#define sincos simt_sincos
__forceinline__ void __sincosf(float x, float* s, float* c) {
  simt_sincosf(x, s, c);
}
// The sine of pi (x + quarters / 2): what is left of x to the nearest half is exact, so that whole
// and half numbers are.
inline double simt_sine_of_half_turns(double x, int quarters) {
  if (!isfinite(x)) return NAN;
  const double nearest = rint(2 * x);
  const int quarter = (static_cast<int>(nearest - 4 * floor(nearest / 4)) + quarters) % 4;
  const double rest = 3.14159265358979323846 * (x - nearest / 2);
  const double part = quarter % 2 == 0 ? sin(rest) : cos(rest);
  return quarter < 2 ? part : -part;
}
inline double simt_sinpi(double x) {
  return simt_sine_of_half_turns(x, 0);
}
inline double simt_cospi(double x) {
  return simt_sine_of_half_turns(x, 1);
}
inline float simt_sinpif(float x) {
  return static_cast<float>(simt_sinpi(x));
}
inline float simt_cospif(float x) {
  return static_cast<float>(simt_cospi(x));
}
__forceinline__ void sincospif(float x, float* s, float* c) {
  *s = simt_sinpif(x);
  *c = simt_cospif(x);
}
__forceinline__ void sincospi(double x, double* s, double* c) {
  *s = simt_sinpi(x);
  *c = simt_cospi(x);
}
#define sinpi simt_sinpi
#define cospi simt_cospi
#define sinpif simt_sinpif
#define cospif simt_cospif

inline int __clz(int x) {
  return std::countl_zero(static_cast<unsigned>(x));
}
inline int __clzll(long long x) {
  return std::countl_zero(static_cast<unsigned long long>(x));
}
inline int __popcll(unsigned long long x) {
  return std::popcount(x);
}
inline int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
inline unsigned __brev(unsigned x) {
  unsigned result = 0;
  for (int i = 0; i < 32; ++i) result |= (x >> i & 1u) << (31 - i);
  return result;
}
inline int __mul24(int a, int b) {
  return (a << 8 >> 8) * (b << 8 >> 8);
}
inline unsigned __umul24(unsigned a, unsigned b) {
  return (a & 0xffffffu) * (b & 0xffffffu);
}
inline int __mulhi(int a, int b) {
  return static_cast<int>((long long){a} * b >> 32);
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline int __float2int_rn(float x) {
  return static_cast<int>(rintf(x));
}
inline int __float2int_rz(float x) {
  return static_cast<int>(x);
}
inline int __float2int_rd(float x) {
  return static_cast<int>(floorf(x));
}
inline int __float2int_ru(float x) {
  return static_cast<int>(ceilf(x));
}
inline float __int2float_rn(int x) {
  return static_cast<float>(x);
}
inline float __uint2float_rn(unsigned x) {
  return static_cast<float>(x);
}
inline int __float_as_int(float x) {
  return std::bit_cast<int>(x);
}
inline unsigned __float_as_uint(float x) {
  return std::bit_cast<unsigned>(x);
}
inline float __int_as_float(int x) {
  return std::bit_cast<float>(x);
}
inline float __uint_as_float(unsigned x) {
  return std::bit_cast<float>(x);
}
inline long long __double_as_longlong(double x) {
  return std::bit_cast<long long>(x);
}
inline double __longlong_as_double(long long x) {
  return std::bit_cast<double>(x);
}
// Nanoseconds: a device of 1 GHz.
SIMT_PLAIN inline long long clock64() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}
#define clock() static_cast<clock_t>(clock64())

#include "simt_functions.h"
