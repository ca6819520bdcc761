// The threads of a launch, and what each takes: what all kernels share. Includes nothing of CUDA's,
// because kernels that are compiled at run time include it too.
#pragma once

#include "cudamat/cuda/items.cuh"
#include "cudamat/cuda/threads.hpp"

namespace cudamat::cuda {

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
