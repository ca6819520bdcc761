#include <cstdlib>
#include <memory>
#include <string_view>

#include "cudamat/use_gpu.hpp"
#include "gnumpy/engine.hpp"
#include "gnumpy/engine_npmat.hpp"

#ifdef GNUMPY_CUDA
#include "gnumpy/engine_cuda.hpp"
#endif

namespace gnumpy::detail {

namespace {

/// GNUMPY_CPU_PRECISION: the bits of a number on the CPU.
int cpu_precision() {
  const char* const text = std::getenv("GNUMPY_CPU_PRECISION");
  const std::string_view bits = text == nullptr ? "" : text;
  if (bits.empty() || bits == "32") return 32;
  if (bits == "64") return 64;
  if (bits == "128") return 128;
  cudamat::misuse("GNUMPY_CPU_PRECISION", "must be 32, 64 or 128; got '{}'", bits);
}

std::unique_ptr<Engine> choose() {
  const cudamat::UseGpu use = cudamat::use_gpu();
#ifdef GNUMPY_CUDA
  if (use == cudamat::UseGpu::Yes) cudamat::cuda::require_device();
  if (use != cudamat::UseGpu::No && cudamat::cuda::device_count() > 0) return make_cuda();
#else
  if (use == cudamat::UseGpu::Yes)
    cudamat::misuse("GNUMPY_USE_GPU", "is yes, but gnumpy was built without the CUDA engine");
#endif
  return make_npmat(cpu_precision());
}

}  // namespace

Engine& engine() {
  static Engine& engine = *choose().release();  // outlives garrays of static duration
  return engine;
}

}  // namespace gnumpy::detail
