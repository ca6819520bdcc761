#include "gnumpy/engine_cuda.hpp"

#include "cudamat/cuda/exchange.hpp"
#include "cudamat/cuda/graph.hpp"
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
  /// The default context of a device is one stream, so what was queued for the memory's last user
  /// is done before what its next one queues. Other contexts' memory goes back to the pool, which
  /// waits for them.
  [[nodiscard]] int reuse_among() const noexcept override {
    return cudamat::cuda::in_default_context() ? cudamat::cuda::current_device() : kNoReuse;
  }

 protected:
  [[nodiscard]] std::optional<int> replay_settings() const override {
    namespace cuda = cudamat::cuda;
    if (!cuda::in_default_context()) return std::nullopt;
    return (cuda::current_device() << 2) | (cuda::tf32() ? 2 : 0) |
           (cuda::draws_with_curand() ? 1 : 0);
  }
};

}  // namespace

std::unique_ptr<Engine> make_cuda() {
  return std::make_unique<Cuda>();
}

}  // namespace gnumpy::detail
