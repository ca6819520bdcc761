#include "cudamat/capi/choice.hpp"

#include <fmt/format.h>
#include <string>

#include "cudamat/error.hpp"
#include "cudamat/say.hpp"
#include "cudamat/use_gpu.hpp"

namespace cudamat::capi {
namespace {

struct Decision {
  Choice choice = Choice::Npmat;
  std::string refused;  ///< why there is no engine, if there is none
};

#ifdef CUDAMAT_CAPI_CUDA
bool has_gpu() {
  return cuda::device_count() > 0;
}
std::string gpu() {
  return cuda::describe_device();
}
#else
bool has_gpu() {
  return false;
}
std::string gpu() {
  return "this build has no CUDA engine";
}
#endif

Decision decide() {
  UseGpu wish = UseGpu::Auto;
  try {
    wish = use_gpu();
  } catch (const CUDAMatException& error) {  // a word without meaning
    return {{}, error.what()};
  }
  if (wish == UseGpu::No) return {};
  const bool found = has_gpu();
  if (wish == UseGpu::Yes && !found)
    return {{},
            fmt::format("[cudamat] GNUMPY_USE_GPU=yes: {}; GNUMPY_USE_GPU=no computes on the CPU",
                        gpu())};
  if (wish == UseGpu::Auto)
    cudamat::say("cudamat: computing on the {} ({}); GNUMPY_USE_GPU=yes|no chooses\n",
                 found ? "GPU" : "CPU", gpu());
  return {found ? Choice::Cuda : Choice::Npmat, {}};
}

}  // namespace

Choice choice() {
  static const Decision decision = decide();
  if (!decision.refused.empty()) throw LibraryError(LibraryError::Library::Cuda, decision.refused);
  return decision.choice;
}

}  // namespace cudamat::capi
