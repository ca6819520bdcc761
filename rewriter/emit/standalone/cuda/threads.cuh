// The threads of a launch in printed CUDA programs, under the engine's names (cuda/threads.cuh).
#pragma once

#include "cudamat/cuda/threads.hpp"
#include "cudamat/index.hpp"

namespace cudamat::cuda {

/// A grid-stride loop goes from first_item() on in steps of stride(); over blocks, along x and y.
__device__ inline Index first_item() {
  return Index(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline Index stride() {
  return Index(gridDim.x) * blockDim.x;
}
__device__ inline Index stride_x() {
  return Index(gridDim.x);
}
__device__ inline Index stride_y() {
  return Index(gridDim.y);
}

/// Neighbours that travel in one load or store of a thread, at an address that is a multiple of
/// their size: 16 bytes, unless it is said.
template <class T, int kCount = 16 / sizeof(T)>
struct alignas(kCount * sizeof(T)) Pack {
  static constexpr int kSize = kCount;
  T v[kSize];
};

/// The block's shared memory, `shared_bytes` of the launch.
template <class T>
__device__ T* shared_memory() {
  extern __shared__ __align__(16) unsigned char of_the_block[];
  return reinterpret_cast<T*>(of_the_block);
}

}  // namespace cudamat::cuda
