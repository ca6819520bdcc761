// Ctrl-C while a kernel runs on the CPU: one that never ends, say.
#pragma once

#include "cudamat/error.hpp"

namespace cudamat::kernels {

/// What ends the launch. The text is the report of where it was.
class KernelInterrupted : public CUDAMatException {
 public:
  using CUDAMatException::CUDAMatException;
};

/// While it lives, SIGINT ends the kernel that runs on the CPU on the thread that made it, with
/// KernelInterrupted, and the compiler that works for that thread, after whoever handles the signal
/// otherwise was told. Where nobody does, the signal does what it did. There is one at a time.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  bool handled_ = false;
};

/// Ends the launch that runs on this thread: at once where the instruction is the kernel's own,
/// otherwise when it comes back to the kernel from the function of the host that it has called,
/// which must not be left. For a handler of signals, which may not come back.
void interrupt_launch(const void* instruction);

/// Whether SIGINT has come in the scope of this thread, where there is one.
bool is_interrupted();

}  // namespace cudamat::kernels
