// A source and what was compiled of it, for each device when it is needed.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cudamat/kernels.hpp"
#include "cudamat/kernels/gpu.hpp"
#include "cudamat/kernels/host_library.hpp"
#include "cudamat/kernels/source.hpp"

namespace cudamat::kernels {

class Module {
 public:
  Module(std::string text, SourceModule::Options options);

  /// Throws where there is no such kernel.
  [[nodiscard]] std::size_t number_of(const std::string& kernel) const;
  [[nodiscard]] const Source& source() const { return source_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] const std::vector<KernelParameter>& parameters(std::size_t kernel) const {
    return parameters_[kernel];
  }

  void run(std::size_t kernel, const Launch& launch, std::span<const Argument> arguments);

 private:
  HostLibrary& on_host();
  GpuModule& on_gpu();
  void read_types();

  const std::string text_;
  const SourceModule::Options options_;
  Source source_;
  std::vector<std::string> names_;  ///< of the kernels that can be called
  std::vector<std::vector<KernelParameter>> parameters_;
  std::mutex mutex_;  ///< guards the making of these
  std::shared_ptr<HostLibrary> host_;
  std::unique_ptr<GpuModule> gpu_;
};

}  // namespace cudamat::kernels
