// Runs the blocks of a launch on the calling thread. For the execution's own files.
#pragma once

#include <cuda_runtime.h>

#include "tests/simt/memory.hpp"

namespace simt {

struct Launch {
  const char* name;
  dim3 blocks;
  dim3 threads;
  std::size_t shared_bytes;
};

/// Runs all threads of all blocks. Fails (failure.hpp) for misuse of barriers, and for an exception
/// that leaves the kernel.
void execute(const Launch& launch, const Kernel& kernel);

/// For messages: the thread of a kernel that runs now, on this thread of the host.
struct Running {
  bool in_kernel = false;
  uint3 block{0, 0, 0};
  uint3 thread{0, 0, 0};
};
Running running();

/// Shared memory of the block that runs now; nullptr outside of kernels.
const SharedMemory* running_shared_memory();
/// Whether the address is in the page below a fiber's stack.
bool is_stack_overflow(const void* address);

/// The name that the launch goes by: what cudamat::cuda::launch() set.
const char* launch_name();

}  // namespace simt
