#include "cudamat/cuda/loaded_kernel.hpp"

namespace cudamat::cuda {

LoadedKernel::LoadedKernel(const std::string& code, const char* name) : device_(state().device) {
  CUDAMAT_CUDA(
      cudaLibraryLoadData(&library_, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  const cudaError_t status = cudaLibraryGetKernel(&kernel_, library_, name);
  if (status != cudaSuccess) (void)cudaLibraryUnload(library_);
  CUDAMAT_CUDA(status);
}

LoadedKernel::~LoadedKernel() {
  const DeviceScope scope(device_);
  (void)cudaDeviceSynchronize();
  (void)cudaLibraryUnload(library_);
}

void LoadedKernel::launch(const Grid& grid, void* argument) const {
  if (grid.blocks.x == 0) return;
  const cudaLaunchConfig_t config = configuration(grid);
  void* arguments[] = {argument};
  check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel_), arguments), grid.name,
        __FILE__, __LINE__);
}

}  // namespace cudamat::cuda
