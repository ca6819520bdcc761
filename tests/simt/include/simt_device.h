// What kernels see: the part of CUDA C++ that the project uses, as C++ for the execution on the
// CPU.
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

enum class WarpOp { kSync, kShfl, kShflUp, kShflDown, kShflXor, kBallot, kAny, kAll };

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
T shuffle(WarpOp op, unsigned mask, T value, int operand, int width, const Place& place) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = warp_call(op, mask, bits, operand, width, place);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

}  // namespace simt

extern constinit thread_local uint3 threadIdx;
extern constinit thread_local uint3 blockIdx;
extern constinit thread_local dim3 blockDim;
extern constinit thread_local dim3 gridDim;
inline constexpr int warpSize = 32;

inline void __syncthreads(const simt::Place& place = simt::Place::current()) {
  simt::block_barrier(place);
}
inline void __syncwarp(unsigned mask = 0xffffffffu,
                       const simt::Place& place = simt::Place::current()) {
  simt::warp_call(simt::WarpOp::kSync, mask, 0, 0, 32, place);
}

// The overloads of CUDA: other types convert to one of these, as they do there.
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
SIMT_SHUFFLES(int)
SIMT_SHUFFLES(unsigned)
SIMT_SHUFFLES(long)
SIMT_SHUFFLES(unsigned long)
SIMT_SHUFFLES(long long)
SIMT_SHUFFLES(unsigned long long)
SIMT_SHUFFLES(float)
SIMT_SHUFFLES(double)
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

template <class T>
T __ldg(const T* address) {
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
#define SIMT_ATOMICS(T)                                                                       \
  inline T atomicAdd(T* address, T value) {                                                   \
    return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);                              \
  }                                                                                           \
  inline T atomicExch(T* address, T value) {                                                  \
    return __atomic_exchange_n(address, value, __ATOMIC_RELAXED);                             \
  }                                                                                           \
  inline T atomicCAS(T* address, T compare, T value) {                                        \
    __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED,            \
                                __ATOMIC_RELAXED);                                            \
    return compare;                                                                           \
  }                                                                                           \
  inline T atomicMax(T* address, T value) {                                                   \
    T old = __atomic_load_n(address, __ATOMIC_RELAXED);                                       \
    while (old < value && !__atomic_compare_exchange_n(address, &old, value, false,           \
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED)) { \
    }                                                                                         \
    return old;                                                                               \
  }                                                                                           \
  inline T atomicMin(T* address, T value) {                                                   \
    T old = __atomic_load_n(address, __ATOMIC_RELAXED);                                       \
    while (value < old && !__atomic_compare_exchange_n(address, &old, value, false,           \
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED)) { \
    }                                                                                         \
    return old;                                                                               \
  }
SIMT_ATOMICS(int)
SIMT_ATOMICS(unsigned)
SIMT_ATOMICS(unsigned long long)
#undef SIMT_ATOMICS
