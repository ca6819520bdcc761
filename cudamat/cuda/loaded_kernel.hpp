// Kernels that were compiled at run time, on one device.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cudamat/cuda/launch.hpp"

namespace cudamat::cuda {

class LoadedKernels {
 public:
  /// The kernels of these names in `code`, for the calling thread's device. Throws LibraryError
  /// if the driver cannot load the code.
  LoadedKernels(const std::string& code, const std::vector<std::string>& names);
  /// Waits for the contexts that launched one, and for no others: a wait for the device would break
  /// what other threads capture.
  ~LoadedKernels();
  LoadedKernels(const LoadedKernels&) = delete;
  LoadedKernels& operator=(const LoadedKernels&) = delete;

  /// Kernel number k, about to be launched in the calling thread's context.
  [[nodiscard]] const void* for_launch(std::size_t k) const;

 private:
  int device_;
  cudaLibrary_t library_ = nullptr;
  std::vector<cudaKernel_t> kernels_;
  mutable std::mutex mutex_;
  mutable std::vector<std::weak_ptr<State>> contexts_;  ///< one that is gone has waited itself
};

/// The only one in its code.
class LoadedKernel {
 public:
  LoadedKernel(const std::string& code, const char* name) : kernels_(code, {name}) {}

  /// Queues it on the stream of the calling thread's context; `argument` is that of the kernel,
  /// which has one. As launch() of launch.cuh.
  void launch(const Grid& grid, void* argument) const;

 private:
  LoadedKernels kernels_;
};

}  // namespace cudamat::cuda
