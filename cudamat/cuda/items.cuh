// What a thread of a launch takes. For kernels that are compiled at run time and printed programs,
// too: includes nothing of CUDA's.
#pragma once

#include "cudamat/index.hpp"

namespace cudamat::cuda {

/// The first item of this thread in a grid-stride loop.
__device__ inline Index first_item() {
  return Index(blockIdx.x) * blockDim.x + threadIdx.x;
}

/// Neighbours that travel in one load or store of a thread, at an address that is a multiple of
/// their size: 16 bytes, unless it is said.
template <class T, int kCount = 16 / sizeof(T)>
struct alignas(kCount * sizeof(T)) Pack {
  static constexpr int kSize = kCount;
  T v[kSize];
};

}  // namespace cudamat::cuda
