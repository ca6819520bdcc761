// Runs the blocks of a launch on the calling thread. For the execution's own files.
#pragma once

#include <simt_device.h>
#include <simt_kernel.h>
#include <stdexcept>
#include <utility>

#include "cudamat/simt/memory.hpp"

namespace simt {

struct Launch {
  const char* name;
  dim3 blocks;
  dim3 threads;
  std::size_t shared_bytes;
};

struct Thread;  // executor.hpp

/// What is told when threads come to be ordered after others, for whoever looks at their accesses.
class Watch {
 public:
  Watch() = default;
  virtual ~Watch() = default;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// A block begins, the number `block` of the launch; threads are known by their number in it.
  virtual void begin_block(std::uint64_t block) = 0;
  virtual void end_block() = 0;
  /// All threads of the block are at __syncthreads.
  virtual void order_block() = 0;
  /// The lanes of the mask, in the warp whose first thread this is, are at __syncwarp.
  virtual void order_lanes(int first, unsigned mask) = 0;
  /// Whether a barrier may be wrong in this way, and the launch goes on as on a GPU.
  virtual bool tolerates(const char* /*text*/) { return false; }

 protected:
  /// The thread that runs; known from the first block on.
  [[nodiscard]] const Thread& current() const { return **current_; }

 private:
  friend class Executor;
  Thread* const* current_ = nullptr;
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

/// What was wrong in a kernel, and where it stood.
struct Failed : std::runtime_error {
  Failed(const char* text, const Running& place, const void* code)
      : std::runtime_error(text), where(place), instruction(code) {}
  Running where;
  const void* instruction;  ///< where a signal came from one
};

/// The same, but throws Failed where the kernel fails; its threads end where they are, without
/// destructors.
void execute(const Launch& launch, const Kernel& kernel, Watch& watch);
/// Whether such a launch runs, on this thread of the host.
bool is_watched();
/// Ends it with this text.
[[noreturn]] void abandon(const char* text, const void* instruction = nullptr);
/// Where a signal came, from the context that its handler is given.
const void* interrupted_instruction(void* context);
/// Of the stack of the thread that runs: [begin, end). A kernel must be running.
std::pair<const void*, const void*> running_stack();

/// __syncthreads; returns how many threads of the block have voted for it.
unsigned block_vote(bool vote, const Place& place);

/// Shared memory of the block that runs now; nullptr outside of kernels.
const SharedMemory* running_shared_memory();
/// Whether the address is in the page below a fiber's stack.
bool is_stack_overflow(const void* address);

/// The name that the launch goes by: what cudamat::cuda::launch() set.
const char* launch_name();

}  // namespace simt
