// What a context owns. For the engine's own files: device.hpp is the public side.
#pragma once

#include <cstdint>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <curand.h>
#include <memory>
#include <mutex>

#include "cudamat/cuda/check.hpp"

namespace cudamat::cuda {

/// One of cuRAND's generators and where it stands. Positions count values of the generator's one
/// type, as in cudamat/philox.hpp.
struct RandomStream {
  curandGenerator_t generator = nullptr;  ///< made at the first draw
  std::uint64_t seed = 0;
  std::uint64_t position = 0;             ///< values drawn by the user
  std::uint64_t generator_at = kUnknown;  ///< where the generator itself stands

  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
};

/// Pinned memory in two halves: one is filled or emptied by the host while the other is copied.
struct Staging {
  static constexpr std::size_t kBytes = std::size_t{4} << 20;  ///< of a half

  Staging() = default;
  ~Staging();  // waits for the copies; never throws
  void allocate();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  void* half[2] = {};
  cudaEvent_t copied[2] = {};  ///< the last copy from or to the half
};

struct State : std::enable_shared_from_this<State> {
  explicit State(int device);
  ~State();  // never throws
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Gives back the handles and the staging memory; they are made again at the next use.
  void release_handles() noexcept;

  /// The handle, with the arithmetic that set_tf32 asks for. Call with the mutex held.
  cublasHandle_t cublas_handle();

  const int device;
  int multiprocessors = 0;
  cudaMemPool_t pool = nullptr;  ///< the device's, not ours
  cudaStream_t stream = nullptr;

  std::mutex mutex;  ///< guards what follows
  cublasHandle_t cublas = nullptr;
  RandomStream random_float;
  RandomStream random_double;
  std::unique_ptr<Staging> staging;  ///< made at the first large copy
};

/// The state of the calling thread's context, its device made current. Throws what require_device()
/// does where there is no GPU.
State& state();

}  // namespace cudamat::cuda
