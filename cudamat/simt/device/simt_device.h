// What kernels see: the part of CUDA C++ that the project uses, as C++ for the execution on the
// CPU. With SIMT_USER (simt_user.h): kernels in a library of their own, whose accesses are looked
// at.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

namespace simt {

using Place = std::source_location;

enum class WarpOp {
  kSync,
  kShfl,
  kShflUp,
  kShflDown,
  kShflXor,
  kBallot,
  kAny,
  kAll,
  kMatchAny,
  kMatchAll,
  kReduceAdd,
  kReduceMin,
  kReduceMax,
  kReduceAnd,
  kReduceOr,
  kReduceXor,
  kActive
};

/// An access. kAtomic reads and writes; kExchange, atomic as well, need not find anything there.
enum class Touch : int { kRead, kWrite, kAtomic, kExchange };

/// The calling thread's part of a warp intrinsic: returns when all lanes of the mask have come.
std::uint64_t warp_call(WarpOp op, unsigned mask, std::uint64_t value, int operand, int width,
                        const Place& place);
/// __syncthreads.
void block_barrier(const Place& place);
/// A thread is at the end of a turn of a grid-stride loop.
void count_turn(const Place& loop);
/// The block's dynamic shared memory. A failure where the launch asked for none.
void* shared_memory();

template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <class T>
T shuffle(WarpOp op, unsigned mask, T value, int operand, int width, const Place& place) {
  const std::uint64_t bits = warp_call(op, mask, bits_of(value), operand, width, place);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

}  // namespace simt

#ifndef SIMT_USER
extern constinit thread_local uint3 threadIdx;
extern constinit thread_local uint3 blockIdx;
extern constinit thread_local dim3 blockDim;
extern constinit thread_local dim3 gridDim;
// Around the functions that access memory atomically.
#define SIMT_ATOMIC inline
#define SIMT_TOUCH(address, what) (void)0
#endif
inline constexpr int warpSize = 32;

inline void __syncthreads(const simt::Place& place = simt::Place::current()) {
  simt::block_barrier(place);
}
inline void __syncwarp(unsigned mask = 0xffffffffu,
                       const simt::Place& place = simt::Place::current()) {
  simt::warp_call(simt::WarpOp::kSync, mask, 0, 0, 32, place);
}

// The overloads of CUDA: other types convert to one of these, as they do there.
#define SIMT_NUMBERS(OVERLOADS) \
  OVERLOADS(int)                \
  OVERLOADS(unsigned)           \
  OVERLOADS(long)               \
  OVERLOADS(unsigned long)      \
  OVERLOADS(long long)          \
  OVERLOADS(unsigned long long) \
  OVERLOADS(float)              \
  OVERLOADS(double)
#define SIMT_SHUFFLES(T)                                                                       \
  inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32,                       \
                       const simt::Place& place = simt::Place::current()) {                    \
    return simt::shuffle(simt::WarpOp::kShfl, mask, value, lane, width, place);                \
  }                                                                                            \
  inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,              \
                          const simt::Place& place = simt::Place::current()) {                 \
    return simt::shuffle(simt::WarpOp::kShflUp, mask, value, static_cast<int>(delta), width,   \
                         place);                                                               \
  }                                                                                            \
  inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,            \
                            const simt::Place& place = simt::Place::current()) {               \
    return simt::shuffle(simt::WarpOp::kShflDown, mask, value, static_cast<int>(delta), width, \
                         place);                                                               \
  }                                                                                            \
  inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32,              \
                           const simt::Place& place = simt::Place::current()) {                \
    return simt::shuffle(simt::WarpOp::kShflXor, mask, value, lane_mask, width, place);        \
  }
SIMT_NUMBERS(SIMT_SHUFFLES)
#undef SIMT_SHUFFLES

inline unsigned __ballot_sync(unsigned mask, int predicate,
                              const simt::Place& place = simt::Place::current()) {
  return static_cast<unsigned>(
      simt::warp_call(simt::WarpOp::kBallot, mask, predicate != 0, 0, 32, place));
}
inline int __any_sync(unsigned mask, int predicate,
                      const simt::Place& place = simt::Place::current()) {
  return static_cast<int>(simt::warp_call(simt::WarpOp::kAny, mask, predicate != 0, 0, 32, place));
}
inline int __all_sync(unsigned mask, int predicate,
                      const simt::Place& place = simt::Place::current()) {
  return static_cast<int>(simt::warp_call(simt::WarpOp::kAll, mask, predicate != 0, 0, 32, place));
}

#define SIMT_MATCHES(T)                                                                      \
  inline unsigned __match_any_sync(unsigned mask, T value,                                   \
                                   const simt::Place& place = simt::Place::current()) {      \
    return static_cast<unsigned>(                                                            \
        simt::warp_call(simt::WarpOp::kMatchAny, mask, simt::bits_of(value), 0, 32, place)); \
  }                                                                                          \
  inline unsigned __match_all_sync(unsigned mask, T value, int* are_equal,                   \
                                   const simt::Place& place = simt::Place::current()) {      \
    const auto lanes = static_cast<unsigned>(                                                \
        simt::warp_call(simt::WarpOp::kMatchAll, mask, simt::bits_of(value), 0, 32, place)); \
    *are_equal = lanes != 0;                                                                 \
    return lanes;                                                                            \
  }
SIMT_NUMBERS(SIMT_MATCHES)
#undef SIMT_MATCHES
#undef SIMT_NUMBERS

#define SIMT_REDUCTION(T, name, op)                                                                \
  inline T name(unsigned mask, T value, const simt::Place& place = simt::Place::current()) {       \
    return static_cast<T>(                                                                         \
        simt::warp_call(simt::WarpOp::op, mask, static_cast<std::uint64_t>(value), 0, 32, place)); \
  }
SIMT_REDUCTION(unsigned, __reduce_add_sync, kReduceAdd)
SIMT_REDUCTION(int, __reduce_add_sync, kReduceAdd)
SIMT_REDUCTION(unsigned, __reduce_min_sync, kReduceMin)
SIMT_REDUCTION(int, __reduce_min_sync, kReduceMin)
SIMT_REDUCTION(unsigned, __reduce_max_sync, kReduceMax)
SIMT_REDUCTION(int, __reduce_max_sync, kReduceMax)
SIMT_REDUCTION(unsigned, __reduce_and_sync, kReduceAnd)
SIMT_REDUCTION(unsigned, __reduce_or_sync, kReduceOr)
SIMT_REDUCTION(unsigned, __reduce_xor_sync, kReduceXor)
#undef SIMT_REDUCTION

/// The lanes that are here with the calling one: those that come before no other thread of the
/// block can run.
inline unsigned __activemask(const simt::Place& place = simt::Place::current()) {
  return static_cast<unsigned>(simt::warp_call(simt::WarpOp::kActive, 0, 0, 0, 32, place));
}

template <class T>
__forceinline__ T __ldg(const T* address) {
  static_assert(std::is_arithmetic_v<T>, "CUDA has __ldg for its built-in types only");
  return *address;
}
inline int __popc(unsigned x) {
  return std::popcount(x);
}
inline int __ffs(int x) {
  return __builtin_ffs(x);
}

// Atomics: real ones, since several threads of the host may launch kernels.
namespace simt {

/// What lies at the address becomes change(that); returns what was there.
template <class T, class Change>
SIMT_ATOMIC T exchange(T* address, const Change& change) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  auto* const bits = reinterpret_cast<Bits*>(address);
  Bits old = __atomic_load_n(bits, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(bits, &old,
                                      std::bit_cast<Bits>(change(std::bit_cast<T>(old))), false,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return std::bit_cast<T>(old);
}

}  // namespace simt

#define SIMT_ATOMIC_RMW(name, T, result)                                \
  SIMT_ATOMIC T name(T* address, T value) {                             \
    SIMT_TOUCH(address, kAtomic);                                       \
    return simt::exchange(address, [&](T old) -> T { return result; }); \
  }
// Its old value may never have been written: who sets a lock free does not look at it.
#define SIMT_ATOMIC_EXCHANGE(T)                               \
  SIMT_ATOMIC T atomicExch(T* address, T value) {             \
    SIMT_TOUCH(address, kExchange);                           \
    return simt::exchange(address, [&](T) { return value; }); \
  }
#define SIMT_ATOMICS(T)                                                                  \
  SIMT_ATOMIC_RMW(atomicAdd, T, old + value)                                             \
  SIMT_ATOMIC_EXCHANGE(T)                                                                \
  SIMT_ATOMIC_RMW(atomicMax, T, old < value ? value : old)                               \
  SIMT_ATOMIC_RMW(atomicMin, T, value < old ? value : old)                               \
  SIMT_ATOMIC T atomicCAS(T* address, T compare, T value) {                              \
    SIMT_TOUCH(address, kAtomic);                                                        \
    return simt::exchange(address, [&](T old) { return old == compare ? value : old; }); \
  }
SIMT_ATOMICS(int)
SIMT_ATOMICS(unsigned)
SIMT_ATOMICS(unsigned long long)
#undef SIMT_ATOMICS
