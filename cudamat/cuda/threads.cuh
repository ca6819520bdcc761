// The threads of a launch, and what each takes: what all kernels share. Includes nothing of CUDA's,
// because kernels that are compiled at run time include it too.
#pragma once

#include "cudamat/cuda/threads.hpp"
#include "cudamat/index.hpp"

namespace cudamat::cuda {

/// The first item of this thread in a grid-stride loop.
__device__ inline Index first_item() {
  return Index(blockIdx.x) * blockDim.x + threadIdx.x;
}

// The steps of grid-stride loops: of a thread from item to item, of a block along x and along y.
// Every such loop takes its step from one of these, in its head: so the execution on the CPU can
// tell whether the loop ever took a second turn (cudamat/simt).
#ifdef __CUDACC__
#define CUDAMAT_STEP(name, blocks) \
  __device__ inline Index name() { \
    return blocks;                 \
  }
#else
#define CUDAMAT_STEP(name, blocks)                                      \
  inline Index name(const simt::Place& loop = simt::Place::current()) { \
    simt::count_turn(loop);                                             \
    return blocks;                                                      \
  }
#endif
CUDAMAT_STEP(stride, Index(gridDim.x) * blockDim.x)
CUDAMAT_STEP(stride_x, Index(gridDim.x))
CUDAMAT_STEP(stride_y, Index(gridDim.y))
#undef CUDAMAT_STEP

/// Neighbours that travel in one load or store of a thread, at an address that is a multiple of
/// their size: 16 bytes, unless it is said.
template <class T, int kCount = 16 / sizeof(T)>
struct alignas(kCount * sizeof(T)) Pack {
  static constexpr int kSize = kCount;
  T v[kSize];
};

/// The block's shared memory, `shared_bytes` of the launch, 16-byte aligned.
template <class T>
__device__ T* shared_memory() {
#ifdef __CUDACC__
  extern __shared__ __align__(16) unsigned char cudamat_shared_memory[];
  return reinterpret_cast<T*>(cudamat_shared_memory);
#else
  return static_cast<T*>(simt::shared_memory());  // the execution on the CPU: cudamat/simt
#endif
}

}  // namespace cudamat::cuda
