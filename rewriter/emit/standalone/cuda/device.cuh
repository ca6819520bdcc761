// The device of printed CUDA programs: errors, a stream and memory, under the names that they have
// in the engine.
#pragma once

#include <cstddef>
#include <cuda_runtime.h>
#include <mutex>
#include <string>
#include <type_traits>

#include "rewriter/emit/standalone/matrix.hpp"

namespace cudamat::cuda {

/// Throws unless the status, of the runtime or of a library, is success.
template <class Status>
void check(Status status, const char* what, const char* file, int line) {
  if (static_cast<int>(status) == 0) return;
  std::string why = "status " + std::to_string(static_cast<int>(status));
  if constexpr (std::is_same_v<Status, cudaError_t>) why = cudaGetErrorString(status);
  fail(std::string(what) + ": " + why + ", " + file + ":" + std::to_string(line));
}

}  // namespace cudamat::cuda

#define CUDAMAT_CUDA(call) ::cudamat::cuda::check((call), #call, __FILE__, __LINE__)

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

// What members of Engine<T> do. (A program has those that come from the engine as functions, too.)

template <class T>
void copy(const T* source, T* target, Index n) {
  if (n > 0)
    CUDAMAT_CUDA(cudaMemcpyAsync(target, source, sizeof(T) * std::size_t(n),
                                 cudaMemcpyDeviceToDevice, state().stream));
}

/// To memory of the host or of the device; waits for what is queued.
inline void bytes_to_host(State& current, const void* source, void* host, std::size_t bytes) {
  if (bytes > 0)
    CUDAMAT_CUDA(cudaMemcpyAsync(host, source, bytes, cudaMemcpyDefault, current.stream));
  CUDAMAT_CUDA(cudaStreamSynchronize(current.stream));
}

template <class T>
void copy_to_host(const T* source, T* host, Index n) {
  bytes_to_host(state(), source, host, sizeof(T) * std::size_t(n));
}

/// Does the work. (The engine's own returns false where memory does not suffice.)
template <class Work>
bool memory_suffices(const Work& work) {
  work();
  return true;
}

}  // namespace cudamat::cuda
