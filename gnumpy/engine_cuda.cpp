#include "gnumpy/engine_cuda.hpp"

#include "cudamat/cudamat.hpp"
#include "gnumpy/matrix_engine.hpp"

namespace gnumpy::detail {

namespace {

class Cuda final : public MatrixEngine<cudamat::CUDAMatrix<float>> {
 public:
  [[nodiscard]] bool on_gpu() const override { return true; }
  [[nodiscard]] std::int64_t free_bytes() const override {
    return cudamat::cuda::free_memory() + cudamat::cuda::cached_memory();
  }
};

}  // namespace

std::unique_ptr<Engine> make_cuda() {
  return std::make_unique<Cuda>();
}

}  // namespace gnumpy::detail
