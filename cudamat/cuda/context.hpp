// What a context owns. For the engine's own files: device.hpp is the public side.
#pragma once

#include <cstdint>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <curand.h>
#include <cusolverDn.h>
#include <memory>
#include <mutex>

#include "cudamat/cuda/check.hpp"

namespace cudamat::cuda {

/// A stream of random numbers and where it stands, and, for draws by cuRAND, a generator of its.
/// Positions count values of the stream's one type, as in cudamat/philox.hpp.
struct RandomStream {
  curandGenerator_t generator = nullptr;  ///< made at the first such draw
  std::uint64_t seed = 0;
  std::uint64_t position = 0;             ///< values drawn by the user
  std::uint64_t generator_at = kUnknown;  ///< where the generator itself stands

  static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};
};

/// cuSOLVER's handle, and the options of its routines, which are as they come.
struct Cusolver {
  cusolverDnHandle_t handle = nullptr;
  cusolverDnParams_t params = nullptr;
};

/// Pinned memory in slots that are used in turn: the host fills or empties one while others are
/// copied.
struct Staging {
  static constexpr std::size_t kBytes = std::size_t{4} << 20;  ///< of a slot
  static constexpr std::size_t kSlots = 8;

  Staging() = default;
  ~Staging();  // waits for the copies; never throws
  void allocate();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  char* memory = nullptr;
  cudaEvent_t copied[kSlots] = {};  ///< the last copy from or to the slot
  std::size_t next = 0;             ///< the slot whose turn it is
};

struct Recording;  // recording.hpp

struct State : std::enable_shared_from_this<State> {
  explicit State(int device);
  ~State();  // never throws; does nothing once the program ends
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Gives back the handles and the staging memory; they are made again at the next use.
  void release_handles() noexcept;

  /// Waits for the stream, then gives cached memory back to the device: for calls that found none.
  void make_room() noexcept;

  /// The handle, with the arithmetic that set_tf32 asks for. Call with the mutex held.
  cublasHandle_t cublas_handle();
  /// The same of cuSOLVER.
  const Cusolver& cusolver_handle();

  const int device;
  int capability = 0;  ///< 10 * major + minor
  int multiprocessors = 0;
  std::int64_t resident_threads = 0;  ///< that all multiprocessors hold at once
  std::size_t total_memory = 0;       ///< of the device, in bytes
  cudaMemPool_t pool = nullptr;       ///< of all contexts on the device
  cudaStream_t stream = nullptr;
  Recording* recording = nullptr;  ///< that this is the context of, if it is

  std::mutex mutex;  ///< guards what follows
  cublasHandle_t cublas = nullptr;
  cublasMath_t cublas_math = CUBLAS_DEFAULT_MATH;  ///< as the handle has it
  Cusolver cusolver;
  RandomStream random_float;
  RandomStream random_double;

  std::mutex transfers;              ///< guards this for as long as something is copied
  std::unique_ptr<Staging> staging;  ///< made at the first copy
};

/// Registers, after a library has, that destructors must not call it any more. Returns true.
bool note_end_of_program();

/// The state of the calling thread's context, its device made current. Throws what require_device()
/// does where there is no GPU.
State& state();

/// The same for what is known of the context: leaves the current device alone.
State& known_state();

/// The same if there is one already, or nullptr. Leaves the current device alone.
State* state_if_any() noexcept;

/// What `then` is given from now on comes after what `first` was given. Both are of the current
/// device.
cudaError_t order_streams(cudaStream_t first, cudaStream_t then) noexcept;

/// Raises an error for what cannot be recorded (recording.hpp), where the context is a recording's.
void not_recorded(const State& state, const char* what);

/// While it lives, a capture of the calling thread, or of another library's thread, does not forbid
/// calls that have nothing to do with what is captured: allocations and frees on other streams.
class OutsideCaptures {
 public:
  OutsideCaptures() noexcept { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~OutsideCaptures() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  OutsideCaptures(const OutsideCaptures&) = delete;
  OutsideCaptures& operator=(const OutsideCaptures&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;  ///< then the thread's mode before
};

/// Makes a device current for a scope, in which no exception may be thrown.
class DeviceScope {
 public:
  explicit DeviceScope(int device) noexcept {
    (void)cudaGetDevice(&previous_);
    if (previous_ != device) (void)cudaSetDevice(device);
    changed_ = previous_ != device;
  }
  ~DeviceScope() {
    if (changed_) (void)cudaSetDevice(previous_);
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int previous_ = 0;
  bool changed_ = false;
};

/// Once for each library, which its statuses tell: when its first handle was made.
template <class Status>
void note_library(Status /*of it*/) {
  [[maybe_unused]] static const bool noted = note_end_of_program();
}

/// Makes a handle of cuBLAS, cuSOLVER or cuRAND: `create` gives a status. Their memory is not the
/// pool's, which may have taken all there is: on failure the pool gives back what it can, for a
/// second try. From then on the end of the program is noted, see ~State.
template <class Create>
auto create_handle(State& state, const Create& create) {
  const auto status = create();
  note_library(status);
  if (static_cast<int>(status) == 0) return status;
  state.make_room();
  return create();
}

}  // namespace cudamat::cuda
