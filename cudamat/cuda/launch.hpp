// Launches, as the host sees them.
#pragma once

#include <algorithm>

#include "cudamat/cuda/context.hpp"
#include "cudamat/cuda/threads.hpp"
#include "cudamat/index.hpp"

namespace cudamat::cuda {

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

/// For a kernel that is launched now by this thread, on the stream of its context.
inline cudaLaunchConfig_t configuration(const Grid& grid) {
  launching = grid.name;
  cudaLaunchConfig_t config{};
  config.gridDim = grid.blocks;
  config.blockDim = grid.threads;
  config.dynamicSmemBytes = grid.shared_bytes;
  config.stream = state().stream;
  return config;
}

/// Blocks for a grid-stride loop over `items`, `per_block` of them at a time: enough to fill the
/// device a few times over, never more than there is work for.
inline unsigned blocks_for(Index items, Index per_block) {
  const Index wanted = (items + per_block - 1) / per_block;
  const Index most = std::max<Index>(1, 4 * known_state().resident_threads / kThreads);
  return static_cast<unsigned>(std::clamp<Index>(wanted, 0, most));
}

}  // namespace cudamat::cuda
