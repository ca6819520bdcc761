#include "cudamat/cuda/launch.cuh"
#include "cudamat/simt/execute.hpp"

namespace simt {

const char* launch_name() {
  return *cudamat::cuda::launching == '\0' ? "(without a name)" : cudamat::cuda::launching;
}

}  // namespace simt
