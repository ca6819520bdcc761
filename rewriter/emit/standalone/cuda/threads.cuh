// The threads of a launch in printed CUDA programs, under the engine's names (cuda/threads.cuh).
#pragma once

#include "cudamat/index.hpp"

namespace cudamat::cuda {

/// The steps of grid-stride loops: of a thread from item to item, of a block along x and along y.
__device__ inline Index stride() {
  return Index(gridDim.x) * blockDim.x;
}
__device__ inline Index stride_x() {
  return Index(gridDim.x);
}
__device__ inline Index stride_y() {
  return Index(gridDim.y);
}

/// The block's shared memory, `shared_bytes` of the launch.
template <class T>
__device__ T* shared_memory() {
  extern __shared__ __align__(16) unsigned char of_the_block[];
  return reinterpret_cast<T*>(of_the_block);
}

}  // namespace cudamat::cuda
