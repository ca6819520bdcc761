// What kernels on the CPU call back.
#pragma once

#include <simt_host.h>

#include "cudamat/kernels/heap.hpp"
#include "cudamat/kernels/host_library.hpp"
#include "cudamat/kernels/output.hpp"
#include "cudamat/simt/checks.hpp"

namespace cudamat::kernels {

/// While it lives, the library's kernels, on this thread, call these.
class Attached {
 public:
  Attached(const HostLibrary& library, simt::Checks& checks, Heap& heap, Output& output);
  ~Attached();
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

  /// Whether interrupt_launch() was called.
  [[nodiscard]] static bool is_interrupted();

 private:
  simt::Host host_;
};

}  // namespace cudamat::kernels
