// Devices, contexts and memory of the CUDA engine. No CUDA headers are needed to include this.
//
// A context is a stream with its cuBLAS and cuSOLVER handles and its streams of random numbers on
// one device. Every thread computes in the default context of its device, which all threads share:
// one stream, so that calls of all threads take effect in the order made, and matrices may pass
// between threads freely. A thread that wants a stream of its own makes a Context and enters it;
// matrices that pass between contexts need an Event (stream.hpp), or cuda_sync_threads() in the one
// that wrote them first. A matrix may be dropped by any thread: its memory is used again when the
// context that made it and that of the thread have done what was queued until then.
//
// Memory comes from a pool of ours, one a device; freed memory stays there until
// release_cached_memory() or cublas_shutdown(). The device's default pool, which others in the
// process may use (CuPy, PyTorch, cudaMallocAsync), is left alone.
//
// Calls make the context's device current in their thread. A thread in which others have made a
// context of the driver's own current (cuCtxCreate) calls cudaSetDevice before ours.
//
// Nothing here is destroyed at exit: matrices may outlive shutdown(), Contexts and main().
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cudamat::cuda {

struct State;  // context.hpp

// ---- devices ----

/// How many usable GPUs there are: 0 without a driver, or with one too old. Never throws.
int device_count() noexcept;

/// What was found, in one line: "NVIDIA H200, compute capability 9.0, 139.8 GiB, driver 13.0", or
/// why there is none.
std::string describe_device();

/// Of the calling thread's device: how many multiprocessors it has, and its clock's kilohertz.
int multiprocessors();
int clock_rate();

/// Where cuBLAS, cuSOLVER, cuRAND and NVRTC are, a line each, or why one cannot be used. Loads
/// them.
std::vector<std::string> describe_libraries();

/// Throws CUDAMatException unless there is a usable GPU; the text says what was found and how to
/// run on the CPU.
void require_device();

/// The calling thread computes on this device from now on, in its default context. Refuses a number
/// that no device has.
void cuda_set_device(int device);
int current_device();
/// Whether the calling thread computes in the default context of its device, which it shares.
bool in_default_context() noexcept;

/// Waits until everything queued in the calling thread's context is done. Throws LibraryError for
/// what failed there.
void cuda_sync_threads();

/// Starts the calling thread's context now rather than at the first call, which does it by itself.
/// max_ones is the original's, and not needed.
void cublas_init(int max_ones = 0);

/// Waits, then gives back the library handles and cached memory of the calling thread's context and
/// clears a pending error. Matrices stay valid, before and after, in any order; the next call
/// starts again where the context was, the stream of random numbers at the beginning of its seed.
void cublas_shutdown();

/// A stream of its own. Not copied; moving keeps the stream.
class Context {
 public:
  /// On this device; -1: the calling thread's.
  explicit Context(int device = -1);
  ~Context();  ///< Waits for its work. What its matrices hold stays valid.
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;

  /// While it lives, the calling thread computes in the context. Scopes nest.
  class Scope {
   public:
    explicit Scope(const Context& context);
    explicit Scope(std::shared_ptr<State> state) noexcept;  ///< Internal to the engine.
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    std::shared_ptr<State> previous_;
  };

 private:
  std::shared_ptr<State> state_;
};

// ---- memory, of all contexts of the calling thread's device ----

/// Bytes that matrices hold, as asked for; what a call needs in passing is not counted.
std::int64_t memory_in_use();
/// Bytes that the device has free, for every program on it; what this one's pool keeps is not
/// counted.
std::int64_t free_memory();
/// Bytes that freed matrices left in the pool, for later ones. Waits for the calling thread's
/// context, whose frees count then.
std::int64_t cached_memory();
/// Bytes that matrices may hold at once; 0: as many as the device has. An allocation beyond throws
/// OutOfMemory and changes nothing.
void set_memory_limit(std::int64_t bytes);
std::int64_t memory_limit();
/// Gives memory that freed matrices left in the pool back to the device.
void release_cached_memory();

// ---- arithmetic ----

/// Whether float32 products, those of lstsq among them, may round their operands to TF32 (10 bits
/// of mantissa), on the tensor cores: off unless asked for, for every context of the process.
/// Turning it on or off says so on stderr.
void set_tf32(bool on);
bool tf32();

/// Whether random numbers are drawn by cuRAND's generators on the device rather than by our kernel,
/// for every context of the process: off unless asked for. Both draw from the same stream, which
/// goes on where it is. Uniforms are the same bits. Normals are not: ours are those of npmat on
/// every machine, cuRAND's use the device's own logarithm, sine and cosine.
void draw_with_curand(bool on);
bool draws_with_curand();

}  // namespace cudamat::cuda
