// Kernels of users on a GPU. gpu.cpp has them where there is a CUDA engine, no_gpu.cpp where there
// is none.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cudamat/kernels.hpp"

namespace cudamat::kernels {

class GpuModule {
 public:
  /// Whether there is a GPU for the calling thread.
  static bool is_there();

  /// Compiles it for the calling thread's device. Throws CUDAMatException with the log where that
  /// fails.
  GpuModule(const std::string& source, const std::string& file,
            const std::vector<std::string>& kernels, const std::vector<std::string>& flags);
  ~GpuModule();
  GpuModule(const GpuModule&) = delete;
  GpuModule& operator=(const GpuModule&) = delete;

  /// "scale(float*, int)" of each kernel.
  [[nodiscard]] const std::vector<std::string>& types() const;

  /// On the calling thread's device and stream; waits where an array of the host is written.
  void run(std::size_t kernel, const std::string& name,
           const std::vector<KernelParameter>& parameters, const Launch& launch,
           std::span<const Argument> arguments);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace cudamat::kernels
