#include "tools/engine_choice.hpp"

#include "cudamat/use_gpu.hpp"

#ifdef TOOLS_CUDA
#include "cudamat/cuda/device.hpp"
#endif

namespace tools {

bool choose_gpu(const EngineWish& wish) {
  if (wish.engine == "npmat") return false;
  const cudamat::UseGpu use = wish.engine == "cudamat" ? cudamat::UseGpu::Yes : cudamat::use_gpu();
  if (use == cudamat::UseGpu::No) return false;
#ifdef TOOLS_CUDA
  if (use == cudamat::UseGpu::Auto)
    return wish.precision != 128 && cudamat::cuda::device_count() > 0;
  if (wish.precision == 128)
    cudamat::misuse(wish.tool, "a GPU computes in 32 or 64 bits; --precision 128 needs {}npmat",
                    wish.option);
  cudamat::cuda::require_device();
  return true;
#else
  if (use == cudamat::UseGpu::Yes)
    cudamat::misuse(wish.tool,
                    "{}: this build has no CUDA engine; {}npmat or GNUMPY_USE_GPU=no runs on the "
                    "CPU",
                    wish.engine == "cudamat" ? wish.option + "cudamat" : "GNUMPY_USE_GPU=yes",
                    wish.option);
  return false;
#endif
}

}  // namespace tools
