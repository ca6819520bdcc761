// Devices, contexts and memory of the CUDA engine. Including this needs no CUDA headers.
//
// A context is a stream on one device, with its cuBLAS and cuSOLVER handles and its streams of
// random numbers. Every thread computes in the default context of its device, which all threads
// share: there is one stream, so calls of all threads take effect in order, and matrices may pass
// between threads freely. A thread that needs a separate stream makes a Context and enters it. To
// pass matrices between contexts, use an Event (stream.hpp), or call cuda_sync_threads() in the
// context that wrote them. Any thread may drop a matrix: its memory is reused after the work that
// was queued in the context that made it and in the thread's context.
//
// Memory comes from the engine's own pool, one for each device. Freed memory stays in the pool
// until release_cached_memory() or cublas_shutdown(). The device's default pool, which other
// libraries in the process may use (CuPy, PyTorch, cudaMallocAsync), is not used.
//
// Calls make the context's device current in their thread. A thread in which other code has made a
// driver context current (cuCtxCreate) must call cudaSetDevice first.
//
// Nothing is destroyed at exit: matrices may outlive shutdown(), Contexts and main().
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cudamat::cuda {

struct State;  // context.hpp

// ---- devices ----

/// The number of usable GPUs: 0 without a driver, or with one that is too old. Never throws.
int device_count() noexcept;

/// The device in one line, "NVIDIA H200, compute capability 9.0, 139.8 GiB, driver 13.0", or why
/// there is none.
std::string describe_device();

/// The multiprocessors of the calling thread's device, and its clock in kilohertz.
int multiprocessors();
int clock_rate();

/// The files of cuBLAS, cuSOLVER, cuRAND and NVRTC, one per line, or why one cannot be used. Loads
/// them.
std::vector<std::string> describe_libraries();

/// Throws CUDAMatException if there is no usable GPU; the text says what was found and how to run
/// on the CPU.
void require_device();

/// From now on the calling thread computes on this device, in its default context. Throws if there
/// is no such device.
void cuda_set_device(int device);
int current_device();
/// Whether the calling thread computes in the default context of its device, which it shares.
bool in_default_context() noexcept;

/// Waits for all work that is queued in the calling thread's context. Throws LibraryError for work
/// that failed.
void cuda_sync_threads();

/// Starts the calling thread's context now; otherwise the first call does it. max_ones exists for
/// programs of the original package, and is ignored.
void cublas_init(int max_ones = 0);

/// Waits, then frees the library handles and cached memory of the calling thread's context, and
/// clears a pending error. Matrices stay valid. The next call starts the context again, with the
/// random numbers at the beginning of its seed.
void cublas_shutdown();

/// A separate stream. It cannot be copied; moving keeps the stream.
class Context {
 public:
  /// On this device; -1: the calling thread's.
  explicit Context(int device = -1);
  ~Context();  ///< Waits for its work. What its matrices hold stays valid.
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;

  /// While it exists, the calling thread computes in the context. Scopes nest.
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

/// Bytes of all matrices, as requested; temporary memory of calls does not count.
std::int64_t memory_in_use();
/// Free bytes of the device, for all programs; cached memory of this program's pool does not count
/// as free.
std::int64_t free_memory();
/// Bytes of freed matrices in the pool, for later matrices. Waits for the calling thread's context,
/// so that its frees count.
std::int64_t cached_memory();
/// The maximum of bytes that matrices may use at once; 0: as many as the device has. An allocation
/// beyond it throws OutOfMemory and changes nothing.
void set_memory_limit(std::int64_t bytes);
std::int64_t memory_limit();
/// Returns the cached memory of freed matrices to the device.
void release_cached_memory();

// ---- arithmetic ----

/// Whether float32 products, including those of lstsq, may round their operands to TF32 (10 bits of
/// mantissa) and use tensor cores. Off by default; applies to all contexts of the process. Changes
/// are reported on stderr.
void set_tf32(bool on);
bool tf32();

/// Whether cuRAND's device generators draw random numbers instead of our kernel. Off by default;
/// applies to all contexts of the process. Both draw from the same stream, which continues at its
/// position. Uniforms have the same bits. Normals do not: ours have the bits of npmat on every
/// machine, cuRAND's use the device's logarithm, sine and cosine.
void draw_with_curand(bool on);
bool draws_with_curand();

}  // namespace cudamat::cuda
