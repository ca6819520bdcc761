// The device of printed CUDA programs: errors, a stream, memory and launches, under the names that
// they have in the engine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <mutex>
#include <string>
#include <type_traits>

#include "rewriter/emit/standalone/matrix.hpp"

namespace cudamat::cuda {

/// Throws unless the status, of the runtime or of a library, is success.
template <class Status>
void check(Status status, const char* what) {
  if (static_cast<int>(status) == 0) return;
  std::string why = "status " + std::to_string(static_cast<int>(status));
  if constexpr (std::is_same_v<Status, cudaError_t>) why = cudaGetErrorString(status);
  fail(std::string(what) + ": " + why);
}

}  // namespace cudamat::cuda

#define CUDAMAT_CUDA(call) ::cudamat::cuda::check((call), #call)

namespace cudamat::cuda {

/// The device in use, and the stream that all work of a program is queued on.
struct State {
  cudaStream_t stream = nullptr;
  int multiprocessors = 0;
  Index resident_threads = 0;  ///< that all multiprocessors hold at once
  std::mutex mutex;

  State() {
    int device = 0, threads = 0;
    CUDAMAT_CUDA(cudaGetDevice(&device));
    CUDAMAT_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    CUDAMAT_CUDA(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
    resident_threads = Index(multiprocessors) * threads;
    CUDAMAT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
};

inline State& state() {
  static State* const the_state = new State;
  return *the_state;
}
inline State& known_state() {
  return state();
}

/// Memory for one call, given back in the order of the stream.
template <class T>
class Workspace {
 public:
  explicit Workspace(Index n) {
    if (n > 0) CUDAMAT_CUDA(cudaMallocAsync(&data_, sizeof(T) * std::size_t(n), state().stream));
  }
  ~Workspace() {
    if (data_ != nullptr) (void)cudaFreeAsync(data_, state().stream);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

/// The shape of a launch.
struct Grid {
  const char* name;
  dim3 blocks;
  dim3 threads{kThreads};
  std::size_t shared_bytes = 0;
};

/// Blocks for a grid-stride loop over `items`, `per_block` of them at a time: enough to fill the
/// device a few times over, never more than there is work for.
inline unsigned blocks_for(Index items, Index per_block) {
  const Index wanted = (items + per_block - 1) / per_block;
  const Index most = std::max<Index>(1, 4 * state().resident_threads / kThreads);
  return static_cast<unsigned>(std::clamp<Index>(wanted, 0, most));
}

/// Queues the kernel; a grid without blocks does nothing.
template <class... Params, class... Args>
void launch(const Grid& grid, void (*kernel)(Params...), Args... args) {
  if (grid.blocks.x == 0 || grid.blocks.y == 0 || grid.blocks.z == 0) return;
  cudaLaunchConfig_t config{};
  config.gridDim = grid.blocks;
  config.blockDim = grid.threads;
  config.dynamicSmemBytes = grid.shared_bytes;
  config.stream = state().stream;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Params>(args)...), grid.name);
}

/// Whether packs may be read or written there.
template <class T>
bool aligned_for_packs(const T* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(Pack<T>) == 0;
}

// What members of Engine<T> do. (A program has those that come from the engine as functions, too.)

template <class T>
void copy(const T* source, T* target, Index n) {
  if (n > 0)
    CUDAMAT_CUDA(cudaMemcpyAsync(target, source, sizeof(T) * std::size_t(n),
                                 cudaMemcpyDeviceToDevice, state().stream));
}

/// Waits for what is queued.
template <class T>
void copy_to_host(const T* source, T* host, Index n) {
  if (n > 0)
    CUDAMAT_CUDA(cudaMemcpyAsync(host, source, sizeof(T) * std::size_t(n), cudaMemcpyDeviceToHost,
                                 state().stream));
  CUDAMAT_CUDA(cudaStreamSynchronize(state().stream));
}

template <class T>
__global__ void fill_kernel(T* target, Index n, T value) {
  for (Index k = first_item(); k < n; k += stride()) target[k] = value;
}

template <class T>
void fill(T* target, Index n, T value) {
  launch({"fill", blocks_for(n, kThreads)}, fill_kernel<T>, target, n, value);
}

/// In the order of the stream.
inline void bytes_to_host(State& current, const void* source, void* host, std::size_t bytes) {
  CUDAMAT_CUDA(cudaMemcpyAsync(host, source, bytes, cudaMemcpyDeviceToHost, current.stream));
  CUDAMAT_CUDA(cudaStreamSynchronize(current.stream));
}

/// Does the work. (The engine's own returns false where memory does not suffice.)
template <class Work>
bool memory_suffices(const Work& work) {
  work();
  return true;
}

}  // namespace cudamat::cuda

namespace cudamat {

using cuda::first_item;

using cuda::stride;

/// Queues a kernel for so many items.
template <class... Params, class... Args>
void launch(void (*kernel)(Params...), Index items, Args... args) {
  cuda::launch({"a kernel", cuda::blocks_for(items, cuda::kThreads)}, kernel, args...);
}

/// The device's memory of a run, in bytes; not initialised.
class Memory {
 public:
  explicit Memory(std::size_t bytes) { CUDAMAT_CUDA(cudaMalloc(&data_, bytes)); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { (void)cudaFree(data_); }
  Matrix matrix(std::size_t at, Index rows, Index cols) const {
    return {reinterpret_cast<T*>(data_ + at), rows, cols};
  }

 private:
  char* data_ = nullptr;
};

/// Copies an array, of the host or of the device, column by column, and back.
inline void upload(const T* array, Matrix target) {
  if (target.size() > 0)
    CUDAMAT_CUDA(cudaMemcpyAsync(target.data, array, sizeof(T) * std::size_t(target.size()),
                                 cudaMemcpyDefault, cuda::state().stream));
}
inline void download(Matrix source, T* array) {
  if (source.size() > 0)
    CUDAMAT_CUDA(cudaMemcpyAsync(array, source.data, sizeof(T) * std::size_t(source.size()),
                                 cudaMemcpyDefault, cuda::state().stream));
  CUDAMAT_CUDA(cudaStreamSynchronize(cuda::state().stream));
}

/// The first element, when it is computed.
inline T first(Matrix a) {
  T value{};
  cuda::copy_to_host(a.data, &value, 1);
  return value;
}

inline void fill(Matrix target, T value) {
  cuda::fill(target.data, target.size(), value);
}

__global__ void ones_kernel(Matrix target, Index i, Index j, Index count) {
  for (Index k = first_item(); k < count; k += stride()) target(i + k, j + k) = 1;
}

/// Zeros, and `count` ones down a diagonal from row i and column j on.
inline void eye(Matrix target, Index i, Index j, Index count) {
  fill(target, 0);
  launch(ones_kernel, count, target, i, j, count);
}

__global__ void transpose_kernel(Matrix source, Matrix target) {
  for (Index k = first_item(); k < source.size(); k += stride())
    target(k / source.rows, k % source.rows) = source[k];
}

/// An array of NumPy's of two dimensions, row by row, as a matrix, and back.
inline void read_rows(const T* array, Matrix target) {
  const cuda::Workspace<T> rows(target.size());
  const Matrix transposed{rows.data(), target.cols, target.rows};
  upload(array, transposed);
  launch(transpose_kernel, target.size(), transposed, target);
}
inline void write_rows(Matrix source, T* array) {
  const cuda::Workspace<T> rows(source.size());
  const Matrix transposed{rows.data(), source.cols, source.rows};
  launch(transpose_kernel, source.size(), source, transposed);
  download(transposed, array);
}

}  // namespace cudamat
