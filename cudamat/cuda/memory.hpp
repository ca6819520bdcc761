// Stream-ordered device memory. For the engine's own files.
#pragma once

#include <cstddef>
#include <functional>

#include "cudamat/cuda/context.hpp"
#include "cudamat/engine.hpp"

namespace cudamat::cuda {

/// `bytes` of uninitialised memory of the calling thread's context, counted against the limit; at
/// least 256-byte aligned; nullptr for 0 bytes. Throws OutOfMemory "[op] ...".
void* allocate_bytes(const char* op, std::size_t bytes);

/// Gives it back to the context that it came from, after all that was queued there and in the
/// calling thread's context so far. Any thread, any time, after shutdown too.
void free_bytes(void* data) noexcept;

/// The same without a count: for what is given back before the call ends, on the same context.
void* allocate_uncounted(State& current, const char* op, std::size_t bytes);

/// Gives that back, in stream order.
void free_uncounted(State& current, void* data) noexcept;

/// Does the work; false if it threw OutOfMemory, which files of kernels cannot name: nvcc does not
/// compile fmt.
bool memory_suffices(const std::function<void()>& work);

/// Copies `bytes` to the host when all that is queued is done, and waits for that.
void bytes_to_host(State& current, const void* source, void* host, std::size_t bytes);

/// Queues a copy to the device; returns when the host's memory has been read.
void bytes_to_device(State& current, const void* host, void* target, std::size_t bytes);

/// What a call needs besides its operands; given back at the end of the scope, in stream order.
template <class T>
class Workspace {
 public:
  explicit Workspace(Index n)
      : state_(state()),
        data_(
            static_cast<T*>(allocate_uncounted(state_, "workspace", std::size_t(n) * sizeof(T)))) {}
  ~Workspace() {
    if (data_ != nullptr) free_uncounted(state_, data_);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  [[nodiscard]] T* data() const { return data_; }

 private:
  State& state_;
  T* data_;
};

}  // namespace cudamat::cuda
