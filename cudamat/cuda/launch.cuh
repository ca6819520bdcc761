// How kernels are launched, and what they share. Every launch of the project uses launch().
#pragma once

#include <cstdint>

#include "cudamat/cuda/launch.hpp"
#include "cudamat/cuda/threads.cuh"
#include "cudamat/engine.hpp"

namespace cudamat::cuda {

/// Queues the kernel on the stream of the calling thread's context. A grid without blocks does
/// nothing. Throws what check() does, with the grid's name, if the launch fails; what fails inside
/// the kernel surfaces at a later call.
template <class... Params, class... Args>
void launch(const Grid& grid, void (*kernel)(Params...), Args... args) {
  if (grid.blocks.x == 0 || grid.blocks.y == 0 || grid.blocks.z == 0) return;
  const cudaLaunchConfig_t config = configuration(grid);
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Params>(args)...), grid.name, __FILE__,
        __LINE__);
}

/// Whether packs may be read or written there.
template <class T>
bool aligned_for_packs(const T* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(Pack<T>) == 0;
}

}  // namespace cudamat::cuda
