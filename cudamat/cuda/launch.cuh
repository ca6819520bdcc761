// How kernels are launched, and what they share. Every launch of the project goes through launch().
#pragma once

#include <algorithm>
#include <cstdint>

#include "cudamat/cuda/context.hpp"
#include "cudamat/engine.hpp"

namespace cudamat::cuda {

/// Threads a block, unless a kernel has reasons of its own.
inline constexpr int kThreads = 256;
inline constexpr int kWarp = 32;

/// The shape of a launch. `name` is what errors call the kernel; it must live as long as the
/// program.
struct Grid {
  const char* name;
  dim3 blocks;
  dim3 threads{kThreads};
  std::size_t shared_bytes = 0;  ///< see shared_memory()
};

/// The kernel that is being launched by this thread, for messages.
inline thread_local const char* launching = "";

/// Queues the kernel on the stream of the calling thread's context. A grid without blocks does
/// nothing. Throws LibraryError "launch of NAME" if the launch fails; what fails inside the kernel
/// surfaces at a later call.
template <class... Params, class... Args>
void launch(const Grid& grid, void (*kernel)(Params...), Args... args) {
  if (grid.blocks.x == 0 || grid.blocks.y == 0 || grid.blocks.z == 0) return;
  launching = grid.name;
  cudaLaunchConfig_t config{};
  config.gridDim = grid.blocks;
  config.blockDim = grid.threads;
  config.dynamicSmemBytes = grid.shared_bytes;
  config.stream = state().stream;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Params>(args)...), grid.name, __FILE__,
        __LINE__);
}

/// Blocks for a grid-stride loop over `items`, `per_block` of them at a time: enough to fill the
/// device a few times over, never more than there is work for.
inline unsigned blocks_for(Index items, Index per_block) {
  const Index wanted = (items + per_block - 1) / per_block;
  const Index most = std::max<Index>(1, 4 * state().resident_threads / kThreads);
  return static_cast<unsigned>(std::clamp<Index>(wanted, 0, most));
}

/// The first item of this thread in a grid-stride loop.
__device__ inline Index first_item() {
  return Index(blockIdx.x) * blockDim.x + threadIdx.x;
}

// The steps of grid-stride loops: of a thread from item to item, of a block along x and along y.
// Every such loop takes its step from one of these, in its head: so the execution on the CPU can
// tell whether the loop ever took a second turn (tests/simt).
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
  return static_cast<T*>(simt::shared_memory());  // the execution on the CPU: tests/simt
#endif
}

/// 16 bytes of T: one load or store of a thread, at a 16-byte aligned address.
template <class T>
struct alignas(16) Pack {
  static constexpr int kSize = 16 / sizeof(T);
  T v[kSize];
};

/// Whether packs may be read or written there.
template <class T>
bool aligned_for_packs(const T* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(Pack<T>) == 0;
}

}  // namespace cudamat::cuda
