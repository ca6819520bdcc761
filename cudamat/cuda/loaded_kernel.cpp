#include "cudamat/cuda/loaded_kernel.hpp"

#include <algorithm>

namespace cudamat::cuda {

LoadedKernels::LoadedKernels(const std::string& code, const std::vector<std::string>& names)
    : device_(state().device), kernels_(names.size()) {
  CUDAMAT_CUDA(
      cudaLibraryLoadData(&library_, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  for (std::size_t k = 0; k < names.size(); ++k) {
    const cudaError_t status = cudaLibraryGetKernel(&kernels_[k], library_, names[k].c_str());
    if (status != cudaSuccess) (void)cudaLibraryUnload(library_);
    CUDAMAT_CUDA(status);
  }
}

LoadedKernels::~LoadedKernels() {
  const DeviceScope scope(device_);
  for (const auto& one : contexts_)
    if (const auto context = one.lock()) (void)cudaStreamSynchronize(context->stream);
  const OutsideCaptures outside;
  (void)cudaLibraryUnload(library_);
}

const void* LoadedKernels::for_launch(std::size_t k) const {
  // What a recording queues runs in graphs, which keep their kernels and wait before they let go.
  State& current = state();
  if (current.recording == nullptr) {
    const std::lock_guard lock(mutex_);
    const auto is_current = [&](const auto& one) { return one.lock().get() == &current; };
    if (std::ranges::none_of(contexts_, is_current)) {
      std::erase_if(contexts_, [](const auto& one) { return one.expired(); });
      contexts_.push_back(current.weak_from_this());
    }
  }
  return reinterpret_cast<const void*>(kernels_[k]);
}

void LoadedKernel::launch(const Grid& grid, void* argument) const {
  if (grid.blocks.x == 0) return;
  const cudaLaunchConfig_t config = configuration(grid);
  void* arguments[] = {argument};
  check(cudaLaunchKernelExC(&config, kernels_.for_launch(0), arguments), grid.name, __FILE__,
        __LINE__);
}

}  // namespace cudamat::cuda
