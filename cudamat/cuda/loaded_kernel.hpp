// A kernel that was compiled at run time, on one device.
#pragma once

#include <string>

#include "cudamat/cuda/launch.hpp"

namespace cudamat::cuda {

class LoadedKernel {
 public:
  /// The kernel of this name in `code`, for the calling thread's device. Throws LibraryError where
  /// the driver refuses the code.
  LoadedKernel(const std::string& code, const char* name);
  /// Waits for the device, which may be running it.
  ~LoadedKernel();
  LoadedKernel(const LoadedKernel&) = delete;
  LoadedKernel& operator=(const LoadedKernel&) = delete;

  /// Queues it on the stream of the calling thread's context; `argument` is that of the kernel,
  /// which has one. As launch() of launch.cuh.
  void launch(const Grid& grid, void* argument) const;

 private:
  int device_;
  cudaLibrary_t library_ = nullptr;
  cudaKernel_t kernel_ = nullptr;
};

}  // namespace cudamat::cuda
