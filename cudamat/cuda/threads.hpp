// The size of blocks, for the host and for kernels.
#pragma once

namespace cudamat::cuda {

/// Threads a block, unless a kernel has reasons of its own.
inline constexpr int kThreads = 256;
inline constexpr int kWarp = 32;

}  // namespace cudamat::cuda
